import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findSite } from "#cli/find-site.ts";
import { complain, printAnswer, printTable } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { ApiError } from "#client/errors.ts";
import type { NewView, ViewHead } from "#client/resources.ts";

export function addViewCommands(view: Command, cli: Cli): void {
  addExamples(
    view,
    'view list "Demo site"',
    'view show "Demo site" VIEW',
    'view export "Demo site" > views.json',
    'view import "Demo site" views.json --shared',
  );
  addWindowOptions(clientCommand(view, "list <site>", "List your own views and the shared ones.")).action(
    async (site: string, flags: ClientFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const siteId = await findSite(session, site);
      const list = await wait(fetchList("views", (window) => client.views.list(siteId, window), flags));
      await printTable(cli, flags, { ...list, columns: COLUMNS });
    },
  );
  clientCommand(view, "show <site> <view>", "Print a view with its content, as JSON.").action(
    async (site: string, id: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.views.get(await findSite(session, site), id));
      await printAnswer(cli, flags, answer, () => JSON.stringify(answer.view, undefined, 2));
    },
  );
  clientCommand(view, "delete <site> <view>", "Delete a view.")
    .option("-y, --yes", "do not ask")
    .action(async (site: string, id: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Delete the view ${id}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.views.delete(await findSite(session, site), id));
      await printAnswer(cli, flags, answer, () => `deleted ${id}`);
    });
  addFileCommands(view, cli);
}

function addFileCommands(view: Command, cli: Cli): void {
  clientCommand(view, "export <site>", "Print all views that you see as one JSON document.").action(
    async (site: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const { views, damaged } = await readViews(session, await findSite(session, site));
      await printAnswer(cli, flags, { views }, () => JSON.stringify({ views }, undefined, 2));
      if (damaged.length === 0) return;
      complain(cli, damaged);
      throw new QuietFailure(EXIT.failure);
    },
  );
  clientCommand(view, "import <site> <file>", "Save the views of an exported file. None is replaced.")
    .option("--shared", "share all of them; otherwise each stays as the file says")
    .action(async (site: string, file: string, flags: ClientFlags & { shared?: boolean }) => {
      const given = readExport(resolve(cli.cwd, file));
      const session = await openSession(cli, flags);
      const siteId = await findSite(session, site);
      const views: ViewHead[] = [];
      for (const one of given) {
        const body = { ...one, ...(flags.shared === true && { is_shared: true }) };
        const { content: _, ...head } = (await session.wait(session.client.views.create(siteId, body))).view;
        views.push(head);
      }
      await printAnswer(cli, flags, { views }, () => `saved ${views.length} views`);
    });
}

/** A damaged view does not cost the others. */
async function readViews({ client, wait }: Session, siteId: string) {
  const views: NewView[] = [];
  const damaged: string[] = [];
  for await (const { id } of client.views.list.all(siteId)) {
    try {
      const { kind, name, content, is_shared, is_start } = (await wait(client.views.get(siteId, id))).view;
      views.push({ kind, name, content, is_shared, is_start });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "storage_damaged")) throw error;
      damaged.push(`${error.message} (busbar view delete ${siteId} ${id})`);
    }
  }
  return { views, damaged };
}

/** The server checks each view. */
function readExport(path: string): readonly NewView[] {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const views = (document as { readonly views?: unknown } | null)?.views;
  if (!Array.isArray(views)) throw new UsageError(`${path} has no list "views"; busbar view export writes one`);
  return views;
}

const COLUMNS: Columns<ViewHead> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  NAME: ({ name }) => name,
  SHARED: ({ is_shared }) => (is_shared ? "yes" : "no"),
  START: ({ is_start }) => (is_start ? "yes" : undefined),
  REVISION: ({ revision }) => String(revision),
  CHANGED: ({ updated_at }) => updated_at,
};
