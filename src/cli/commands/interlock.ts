// Limits of a site that hold whatever anybody claims or commands.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { findSite } from "#cli/find-site.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { readDocument } from "#cli/tariff/read-document.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Interlock, NewInterlock } from "#client/resources.ts";
import { INTERLOCK_NAME } from "#core/interlock/interlock.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";

const HELP = `
Interlocks are a JSON or YAML file:
    interlocks:
      house-connection:
        kind: connection
        meter: {device: grid-meter, attribute: power}
        max_import: 17000               # W
        loads:
          - {device: wallbox, control: current_limit, per_unit: 690, least: 6}
      too-hot:
        kind: condition
        when: {device: room, attribute: temperature, above: 40, hysteresis: 2}
        limits:
          - {device: electrolyser, control: production_rate, max: 0}
`;

export function addInterlockCommands(interlock: Command, cli: Cli): void {
  interlock.addHelpText("after", HELP);
  addExamples(
    interlock,
    'interlock list "Demo site"',
    'interlock show "Demo site" too-hot',
    "interlock check interlocks.yml",
    'interlock apply "Demo site" interlocks.yml',
    'interlock remove "Demo site" too-hot',
  );
  addReading(interlock, cli);
  addChecking(interlock, cli);
  addChanging(interlock, cli);
}

function addReading(interlock: Command, cli: Cli): void {
  clientCommand(interlock, "list <site>", "List the interlocks of a site, and what they demand now.").action(
    async (site: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.controls.interlocks(await findSite(session, site)));
      await printTable(cli, flags, { answer, rows: answer.interlocks, columns: COLUMNS });
    },
  );
  clientCommand(interlock, "show <site> <interlock>", "Show an interlock, its limits and what it measures.").action(
    async (site: string, name: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.controls.interlock(await findSite(session, site), name));
      await printAnswer(cli, flags, answer, () => describe(answer.interlock));
    },
  );
}

function addChecking(interlock: Command, cli: Cli): void {
  clientCommand(interlock, "check <file>", "Check interlocks in a file; with --site also by the devices of a site.")
    .option("--site <site>", "name or id of a site")
    .action(async (file: string, flags: ClientFlags & { site?: string }) => {
      const documents = await readInterlocks(resolve(cli.cwd, file));
      if (flags.site !== undefined) {
        const session = await openSession(cli, flags);
        await checkAll(session, await findSite(session, flags.site), documents);
      }
      remark(cli, `${documents.size === 1 ? "the interlock is" : `all ${documents.size} interlocks are`} valid`);
    });
}

function addChanging(interlock: Command, cli: Cli): void {
  clientCommand(
    interlock,
    "apply <site> <file>",
    "Set the interlocks of a file. Others stay; nothing is set if one of them is wrong.",
  ).action(async (site: string, file: string, flags: ClientFlags) => {
    const documents = await readInterlocks(resolve(cli.cwd, file));
    const session = await openSession(cli, flags);
    const siteId = await findSite(session, site);
    await checkAll(session, siteId, documents);
    const interlocks: Interlock[] = [];
    let pending: object | undefined;
    for (const [name, document] of documents) {
      const set = session.client.controls.putInterlock(siteId, name, document as NewInterlock);
      const { interlock: stored, pending_change } = await session.wait(set);
      if (stored !== null) interlocks.push(stored);
      pending ??= pending_change;
    }
    const answer = { interlocks, ...(pending !== undefined && { pending_change: pending }) };
    await printTable(cli, flags, { answer, rows: interlocks, columns: COLUMNS });
  });
  clientCommand(interlock, "remove <site> <interlock>", "Remove an interlock. Its limits end.")
    .option("-y, --yes", "do not ask")
    .action(async (site: string, name: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Remove the interlock ${name}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.controls.deleteInterlock(await findSite(session, site), name));
      await printAnswer(cli, flags, answer, () => `removed ${name}`);
    });
}

/** By name. Refuses with everything that is wrong with them. */
async function readInterlocks(file: string): Promise<ReadonlyMap<string, unknown>> {
  const document = await readDocument(file);
  const given = (document as { readonly interlocks?: unknown } | null)?.interlocks;
  if (typeof given !== "object" || given === null || Array.isArray(given) || Object.keys(given).length === 0) {
    throw new UsageError(`${file} has no interlocks: it needs the key interlocks with a document under each name`);
  }
  const lines: string[] = [];
  for (const [name, one] of Object.entries(given)) {
    if (!INTERLOCK_NAME.test(name)) lines.push(`  ${name}: the name has other characters than a to z, digits, _ and -`);
    lines.push(...parseInterlock(one).problems.map((problem) => lineOf(name, problem)));
  }
  if (lines.length > 0) throw new UsageError(`${file} is not valid:\n${lines.join("\n")}`);
  return new Map(Object.entries(given));
}

const lineOf = (name: string, { pointer, message }: { readonly pointer: string; readonly message: string }) =>
  `  ${name}${pointer} ${message}`;

async function checkAll(session: Session, siteId: string, documents: ReadonlyMap<string, unknown>): Promise<void> {
  const lines: string[] = [];
  for (const [name, document] of documents) {
    const check = session.client.controls.checkInterlock(siteId, document as NewInterlock);
    lines.push(...(await session.wait(check)).problems.map((problem) => lineOf(name, problem)));
  }
  if (lines.length > 0) throw new UsageError(`not valid at this site:\n${lines.join("\n")}`);
}

const COLUMNS: Columns<Interlock> = {
  INTERLOCK: ({ name }) => name,
  KIND: ({ document }) => document?.kind ?? "unknown",
  STATE: ({ state }) => state,
  SINCE: ({ since }) => since,
  LIMITS: ({ limits }) => String(limits.filter(({ is_holding }) => is_holding).length),
  WHY: ({ why }) => why,
};

function describe({ name, document, state, since, why, limits, measured, problems }: Interlock): string {
  const unit = (text: string | null) => (text === null ? "" : ` ${text}`);
  return [
    `${name} (${document?.kind ?? "unknown"}): ${state} since ${since}`,
    why,
    ...limits.map(
      (one) =>
        `${one.is_holding ? "limits" : "allows"} ${one.control} of ${one.device_id}: ${one.kind} ${one.value}${unit(one.unit)}`,
    ),
    ...measured.map(
      (one) => `measures ${one.attribute} of ${one.device_id}: ${one.value ?? "unknown"}${unit(one.unit)}`,
    ),
    ...problems.map(({ pointer, message }) => `problem: ${pointer} ${message}`),
    JSON.stringify(document, undefined, 2),
  ].join("\n");
}
