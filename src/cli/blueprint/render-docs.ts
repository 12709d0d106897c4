import type {
  Alert,
  Blueprint,
  Command,
  CommandArgument,
  ConfigurationParameter,
  EnumValue,
  Property,
  TelemetryAttribute,
} from "#core/blueprint/blueprint.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import type { Control } from "#core/control/control.ts";
import { formatDuration } from "#core/time/format-duration.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";

/**
 * A Markdown page of a blueprint, for users of the device. Texts of the manifest are escaped: their markup has no
 * effect.
 */
export function renderDocs(blueprint: Blueprint, profiles: ProfileLibrary): string {
  const blocks = [
    `# ${text(blueprint.displayName)}`,
    text(blueprint.description),
    renderFacts(blueprint, profiles),
    ...section("Telemetry", blueprint.telemetry, (all) => renderAttributes(blueprint, all)),
    ...section("Properties", blueprint.properties, (all) => renderAttributes(blueprint, all)),
    ...renderCommands(blueprint),
    ...section("Controls", resolveControls(blueprint, profiles), (controls) => renderControls(blueprint, controls)),
    ...section("Alerts", blueprint.alerts, (alerts) => alerts.map(renderAlert).join("\n\n")),
    ...renderConfiguration(blueprint),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function renderFacts(blueprint: Blueprint, profiles: ProfileLibrary): string {
  const named = [...blueprint.implements, ...blueprint.implementsDraft];
  const included = profiles.resolve(named).filter((id) => !named.includes(id));
  const facts: readonly (readonly [string, string])[] = [
    ["Category", code(blueprint.category)],
    ["Profiles", named.map(code).join(", ")],
    ["Included profiles", included.map(code).join(", ")],
    ["Runtime", code(blueprint.runtime.type)],
    ["Requirements", blueprint.runtime.requirements.map(text).join("; ")],
    ["Author", text(blueprint.author ?? "")],
    ["Licence", text(blueprint.license ?? "")],
    [
      "Support",
      [blueprint.support.url, blueprint.support.email]
        .map((one) => text(one ?? ""))
        .filter(Boolean)
        .join(", "),
    ],
  ];
  return facts.flatMap(([name, value]) => (value === "" ? [] : [`- ${name}: ${value}`])).join("\n");
}

function section<T>(
  heading: string,
  map: ReadonlyMap<string, T>,
  render: (values: readonly T[]) => string,
): readonly string[] {
  return map.size === 0 ? [] : [`## ${heading}`, render([...map.values()])];
}

function renderAttributes(blueprint: Blueprint, attributes: readonly (Property | TelemetryAttribute)[]): string {
  const rows = attributes.map((one) => [
    code(one.id),
    one.type,
    unitOf(blueprint, one.unit),
    sentences(text(one.displayName), text(one.description), values(one.enum), aliases(one.aliases)),
    one.accessLevel,
  ]);
  return table(["Name", "Type", "Unit", "Meaning", "Read by"], rows);
}

function renderControls(blueprint: Blueprint, controls: readonly Control[]): string {
  const bound = (value: number) => (Number.isFinite(value) ? String(value) : "");
  const rows = controls.map((one) => [
    code(one.id),
    text(one.displayName),
    unitOf(blueprint, one.unit),
    bound(one.min),
    bound(one.max),
    code(`${one.command} ${one.argument}`),
    one.reads === undefined ? "" : code(one.reads.attribute),
  ]);
  return table(["Name", "Meaning", "Unit", "Min", "Max", "Set by", "Measured by"], rows);
}

function aliases(names: readonly string[]): string {
  return names.length === 0 ? "" : `Also ${names.map(code).join(", ")}.`;
}

function renderCommands(blueprint: Blueprint): readonly string[] {
  if (blueprint.commands.size === 0) return [];
  const blocks = ["## Commands"];
  for (const group of blueprint.commandGroups.values()) {
    const commands = [...blueprint.commands.values()].filter((command) => command.group === group.id);
    if (commands.length === 0) continue;
    blocks.push(`### ${text(group.displayName)}`, text(group.description));
    blocks.push(...commands.map((command) => renderCommand(blueprint, command)));
  }
  return blocks;
}

function renderCommand(blueprint: Blueprint, command: Command): string {
  const { confirmation } = command;
  const notes = [
    `Run by ${command.accessLevel}, executions read by ${command.readAccessLevel}.`,
    aliases(command.aliases),
    confirmation === undefined
      ? ""
      : `Asks first (${confirmation.severity}): ${sentences(text(confirmation.title), text(confirmation.description))}`,
    command.populateValuesCommand === undefined ? "" : `The form is filled by ${code(command.populateValuesCommand)}.`,
    command.cancelCommand === undefined ? "" : `While it runs, ${code(command.cancelCommand)} cancels it.`,
  ];
  const response = [...command.response.values()].map((field) => [
    code(field.id),
    field.type,
    unitOf(blueprint, field.unit),
    field.required ? "always" : "",
    sentences(text(field.displayName ?? ""), text(field.description), values(field.enum)),
  ]);
  return [
    `#### ${code(command.id)}: ${text(command.displayName)}`,
    text(command.description),
    notes.filter((note) => note !== "").join(" "),
    ...(command.arguments.size === 0 ? [] : [table(INPUT_HEADINGS, inputRows(blueprint, command.arguments))]),
    ...(response.length === 0 ? [] : ["Answers:", table(["Field", "Type", "Unit", "Present", "Meaning"], response)]),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

const INPUT_HEADINGS = ["Name", "Type", "Unit", "Needed", "Default", "Range", "Meaning"];

type Input = CommandArgument | ConfigurationParameter;

function inputRows(blueprint: Blueprint, inputs: ReadonlyMap<string, Input>): readonly (readonly string[])[] {
  return [...inputs.values()].map((one) => [
    code(one.id),
    one.format === undefined ? one.type : `${one.type} (${text(one.format)})`,
    "unit" in one ? unitOf(blueprint, one.unit) : "",
    one.required && one.default === undefined ? "yes" : "",
    one.default === undefined ? "" : code(JSON.stringify(one.default)),
    range(one),
    sentences(text(one.displayName), text(one.description), values(one.enum), one.sensitive ? "Kept secret." : ""),
  ]);
}

function range({ min, max }: Input): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `from ${min}`;
  return max === undefined ? "" : `up to ${max}`;
}

function renderAlert(alert: Alert): string {
  const list = (heading: string, items: readonly string[]) =>
    items.length === 0 ? "" : `${heading}\n\n${items.map((item) => `- ${text(item)}`).join("\n")}`;
  const facts = [
    `Severity ${alert.severity}.`,
    alert.code === undefined ? "" : `Code ${code(alert.code)}.`,
    alert.gracePeriod > 0n ? `Raised after ${formatDuration(alert.gracePeriod)}.` : "",
    alert.telemetry.length === 0 ? "" : `See ${alert.telemetry.map(code).join(", ")}.`,
    alert.components.length === 0 ? "" : `Concerns: ${alert.components.map(text).join(", ")}.`,
  ];
  return [
    `### ${code(alert.id)}: ${text(alert.displayName)}`,
    text(alert.description),
    facts.filter((fact) => fact !== "").join(" "),
    list("Raised by:", alert.conditions),
    list("What to do:", alert.troubleshooting),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function renderConfiguration(blueprint: Blueprint): readonly string[] {
  if (blueprint.configuration.size === 0) return [];
  const buckets = [...blueprint.configuration.values()].map((bucket) =>
    [
      `### ${code(bucket.id)}: ${text(bucket.displayName)}`,
      sentences(text(bucket.description), `Read and written by ${bucket.accessLevel}.`),
      table(INPUT_HEADINGS, inputRows(blueprint, bucket.parameters)),
    ].join("\n\n"),
  );
  return ["## Configuration", ...buckets];
}

function unitOf(blueprint: Blueprint, unit: string | undefined): string {
  return unit === undefined ? "" : text(blueprint.units.get(unit)?.symbol ?? unit);
}

function values(list: readonly EnumValue[] | undefined): string {
  if (list === undefined) return "";
  const named = list.map(({ value, displayName }) =>
    displayName === undefined ? code(String(value)) : `${code(String(value))} (${text(displayName)})`,
  );
  return `One of ${named.join(", ")}.`;
}

/** Parts that are escaped already, each ended by a full stop. */
function sentences(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ");
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  // A column that is empty everywhere says nothing.
  const used = headings.map((_, column) => column === 0 || rows.some((row) => (row[column] ?? "") !== ""));
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map((row) => line(row))].join("\n");
}

/** One line in which nothing is markup. */
function text(value: string): string {
  return value
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/[\\`*_{}[\]<>#|~&!]/g, (character) => (character === "&" ? "&amp;" : `\\${character}`))
    .replace(/^(\d*)([-+.)])/, "$1\\$2");
}

function code(value: string | undefined): string {
  if (value === undefined || value === "") return "";
  const flat = value.replaceAll(/\s+/g, " ").replaceAll("`", "'").replaceAll("|", "\\|");
  return `\`${flat}\``;
}
