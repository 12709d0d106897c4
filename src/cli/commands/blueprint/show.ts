import { renderResolved } from "#cli/blueprint/blueprint-wire.ts";
import { plural } from "#cli/blueprint/lint-report.ts";
import { readProfileLibrary } from "#cli/blueprint/read-profile-library.ts";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import type { Cli } from "#cli/cli.ts";
import { printAnswer } from "#cli/print.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import type { Blueprint, Property, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { formatDuration } from "#core/time/format-duration.ts";

export type ShowFlags = { readonly output?: string; readonly resolved?: boolean; readonly profiles?: string };

/** A summary in tables; with --resolved, or as JSON or YAML, everything as Busbar understands it. */
export async function show(cli: Cli, path: string | undefined, flags: ShowFlags): Promise<void> {
  const profiles = await readProfileLibrary(cli, flags.profiles);
  const { blueprint } = await readValidBlueprint(cli, path, profiles);
  const output = flags.output ?? (flags.resolved === true ? "yaml" : "table");
  const answer = output === "table" ? undefined : renderResolved(blueprint, profiles);
  await printAnswer(cli, { output }, answer, (colour) => renderSummary(blueprint, profiles, colour));
}

function renderSummary(blueprint: Blueprint, profiles: ProfileLibrary, colour: boolean): string {
  const own = [...blueprint.implements, ...blueprint.implementsDraft];
  const included = profiles.resolve(own).length - own.length;
  const head = renderRecord(
    {
      name: blueprint.displayName,
      category: blueprint.category,
      profiles:
        own.length === 0 ? undefined : `${own.join(", ")}${included > 0 ? ` (and ${included} that they include)` : ""}`,
      runtime: blueprint.runtime.type,
      author: blueprint.author,
      license: blueprint.license,
    },
    colour,
  );
  const tables = [
    attributeTable("PROPERTY", blueprint.properties, colour),
    attributeTable("TELEMETRY", blueprint.telemetry, colour),
    commandTable(blueprint, colour),
    alertTable(blueprint, colour),
    configurationTable(blueprint, colour),
  ];
  return [head, ...tables.filter((table) => table !== "")].join("\n\n");
}

type Attribute = Property | TelemetryAttribute;

function attributeTable(heading: string, attributes: ReadonlyMap<string, Attribute>, colour: boolean): string {
  if (attributes.size === 0) return "";
  const columns = {
    [heading]: (one: Attribute) => one.id,
    TYPE: (one: Attribute) => (one.enum === undefined ? one.type : `${one.type} of ${one.enum.length}`),
    UNIT: (one: Attribute) => one.unit,
    LEVEL: (one: Attribute) => one.accessLevel,
    NAME: (one: Attribute) => one.displayName,
    ALIASES: (one: Attribute) => one.aliases.join(", "),
  };
  return renderTable(columns, [...attributes.values()], { colour });
}

function commandTable({ commands }: Blueprint, colour: boolean): string {
  if (commands.size === 0) return "";
  const rows = [...commands.values()];
  type Row = (typeof rows)[number];
  const columns = {
    COMMAND: (one: Row) => one.id,
    ARGUMENTS: (one: Row) =>
      [...one.arguments.values()].map(({ id, required }) => (required ? id : `[${id}]`)).join(" "),
    GROUP: (one: Row) => one.group,
    LEVEL: (one: Row) => one.accessLevel,
    ASKS: (one: Row) => one.confirmation?.severity,
    NAME: (one: Row) => one.displayName,
  };
  return renderTable(columns, rows, { colour });
}

function alertTable({ alerts }: Blueprint, colour: boolean): string {
  if (alerts.size === 0) return "";
  const rows = [...alerts.values()];
  type Row = (typeof rows)[number];
  const columns = {
    ALERT: (one: Row) => one.id,
    SEVERITY: (one: Row) => one.severity,
    WAITS: (one: Row) => (one.gracePeriod > 0n ? formatDuration(one.gracePeriod) : undefined),
    NAME: (one: Row) => one.displayName,
  };
  return renderTable(columns, rows, { colour });
}

function configurationTable({ configuration }: Blueprint, colour: boolean): string {
  if (configuration.size === 0) return "";
  const rows = [...configuration.values()];
  type Row = (typeof rows)[number];
  const columns = {
    CONFIGURATION: (one: Row) => one.id,
    PARAMETERS: (one: Row) => plural(one.parameters.size, "parameter"),
    LEVEL: (one: Row) => one.accessLevel,
    NAME: (one: Row) => one.displayName,
  };
  return renderTable(columns, rows, { colour });
}
