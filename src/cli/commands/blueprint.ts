import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import {
  addConnectionOptions,
  addExamples,
  addWindowOptions,
  clientCommand,
  requireId,
  type WindowFlags,
} from "#cli/client-command.ts";
import { addOfflineBlueprintCommands } from "#cli/commands/blueprint/offline.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { printRecord, printTable, remark } from "#cli/print.ts";
import { remarkDiagnostics } from "#cli/print-diagnostics.ts";
import { saveFile } from "#cli/save-file.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { Blueprint, CatalogueEntry } from "#client/resources.ts";

type BlueprintFlags = ClientFlags & { readonly blueprintId?: string };

export function addBlueprintCommands(blueprint: Command, cli: Cli): void {
  addOfflineBlueprintCommands(blueprint, cli);
  addExamples(
    blueprint,
    "blueprint lint --strict ./my-blueprint/",
    "blueprint upload ./my-blueprint/",
    "blueprint list",
    "blueprint download BLUEPRINT_ID --output my-blueprint.zip",
  );

  addListCommand(blueprint, cli, {
    about: "List the blueprints on the server.",
    key: "blueprints",
    fetchPage: (client, window) => client.blueprints.list(window),
    columns: COLUMNS,
  });

  const search = clientCommand(
    blueprint,
    "search [words...]",
    "Search the catalogue of blueprints on the server.",
  ).option("-c, --category <category>", "only this category, such as battery-systems");
  addWindowOptions(search).action(
    async (words: readonly string[], flags: ClientFlags & WindowFlags & { category?: string }) => {
      const { client, wait } = await openSession(cli, flags);
      const { category } = flags;
      const list = (window: Window) => client.catalogue.list({ ...window, q: words.join(" ") || undefined, category });
      await printTable(cli, flags, {
        ...(await wait(fetchList<"entries", CatalogueEntry>("entries", list, flags))),
        columns: FOUND,
      });
    },
  );
  addExamples(search, "blueprint search", "blueprint search solar inverter", "blueprint search -c battery-systems");

  withBlueprint(clientCommand(blueprint, "get [blueprint]", "Show one blueprint.")).action(
    async (argument: string | undefined, flags: BlueprintFlags) => {
      const id = requireId("blueprint", argument, flags.blueprintId);
      const { client, wait } = await openSession(cli, flags);
      await printBlueprint(cli, flags, await wait(client.blueprints.get(id)));
    },
  );

  const upload = clientCommand(blueprint, "upload [path]", "Upload a blueprint: a folder, a zip, or a bare manifest.")
    .option("-p, --path <path>", "the blueprint, if not given as argument")
    .action(async (argument: string | undefined, flags: ClientFlags & { path?: string }) => {
      const path = argument ?? flags.path;
      if (path === undefined) throw new UsageError("which blueprint? give its folder, zip or manifest");
      const { readBlueprint } = await import("#cli/read-blueprint.ts");
      const { content, manifestName } = await readBlueprint(cli, path);
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.blueprints.upload(content));
      await printBlueprint(cli, flags, answer);
      remarkDiagnostics(cli, answer.diagnostics, manifestName);
    });
  addExamples(
    upload,
    "blueprint upload ./my-blueprint/",
    "blueprint upload my-blueprint.zip",
    "blueprint upload manifest.yml",
  );

  const download = blueprint.command("download [blueprint]").description("Download a blueprint as a zip.");
  withBlueprint(addConnectionOptions(download))
    .option("-o, --output <file>", "file to write, - for stdout; default is the blueprint's id with .zip")
    .option("-f, --force", "replace the file if there is one")
    .action(async (argument: string | undefined, flags: BlueprintFlags & { force?: boolean }) => {
      const id = requireId("blueprint", argument, flags.blueprintId);
      const { client, wait } = await openSession(cli, flags);
      const content = await wait(client.blueprints.download(id));
      const file = flags.output ?? `${id.replaceAll(/[^\w-]/g, "_")}.zip`;
      saveFile(cli, { file, force: flags.force }, content);
      if (file !== "-") remark(cli, `${content.length} bytes`);
    });
  addProfileCommands(blueprint.command("profiles").description("The profiles that the server knows."), cli);
}

function addProfileCommands(profiles: Command, cli: Cli): void {
  const upload = clientCommand(profiles, "upload <path>", "Upload profiles: a folder, or a zip.").action(
    async (path: string, flags: ClientFlags) => {
      const { readProfiles } = await import("#cli/read-profiles.ts");
      const content = await readProfiles(path);
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.blueprints.uploadProfiles(content));
      await printTable(cli, flags, {
        rows: answer.profiles,
        answer,
        columns: { PROFILE: (id: string) => id },
      });
      remarkDiagnostics(cli, answer.diagnostics);
    },
  );
  addExamples(upload, "blueprint profiles upload ./profiles/", "blueprint profiles upload profiles.zip");
  addConnectionOptions(profiles.command("download").description("Download all profiles as a zip."))
    .option("-o, --output <file>", "file to write, - for stdout", "profiles.zip")
    .option("-f, --force", "replace the file if there is one")
    .action(async (flags: ClientFlags & { readonly force?: boolean }) => {
      const { client, wait } = await openSession(cli, flags);
      const content = await wait(client.blueprints.downloadProfiles());
      saveFile(cli, { file: flags.output ?? "profiles.zip", force: flags.force }, content);
    });
}

const COLUMNS = {
  ID: (blueprint: Blueprint) => blueprint.id,
  NAME: (blueprint: Blueprint) => blueprint.display_name,
  VERSION: (blueprint: Blueprint) => blueprint.version,
  SIZE: (blueprint: Blueprint) => blueprint.size,
  CREATED: (blueprint: Blueprint) => blueprint.created_at,
  BY: (blueprint: Blueprint) => blueprint.uploaded_by?.name,
};

const FOUND = {
  ID: (entry: CatalogueEntry) => entry.id,
  NAME: (entry: CatalogueEntry) => entry.display_name,
  CATEGORY: (entry: CatalogueEntry) => entry.category ?? "",
  AUTHOR: (entry: CatalogueEntry) => entry.author ?? "",
  LICENSE: (entry: CatalogueEntry) => entry.license ?? "",
  BLUEPRINT: (entry: CatalogueEntry) => entry.blueprint_id ?? "not uploaded",
};

function printBlueprint(cli: Cli, flags: ClientFlags, answer: { readonly blueprint: Blueprint }): Promise<void> {
  const { id, display_name, version, digest, size, created_at, uploaded_by: by } = answer.blueprint;
  return printRecord(cli, flags, {
    answer,
    fields: {
      id,
      name: display_name,
      version,
      digest,
      size,
      created: created_at,
      "uploaded by": by?.name,
      door: by?.door ?? undefined,
    },
  });
}

function withBlueprint(command: Command): Command {
  return command.option("-b, --blueprint-id <id>", "the blueprint, if not given as argument");
}
