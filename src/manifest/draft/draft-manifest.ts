import type { Profile, ProfileCommand, ProfileField, ProfileLibrary } from "#core/blueprint/profile.ts";
import type { Category } from "#core/blueprint/vocabulary.ts";

export type ManifestPlan = {
  readonly displayName: string;
  readonly category: Category | undefined;
  /** Profiles of the library; their fields are written out. */
  readonly profiles: readonly string[];
  readonly runtime: "lua" | "embedded";
  /** Address or path of the JSON Schema, for the editor. */
  readonly schema: string;
};

/** A first manifest with comments, ready for lint --strict, in which everything that the profiles ask for is declared. */
export function draftManifest(plan: ManifestPlan, library: ProfileLibrary): string {
  const profiles = library.resolve(plan.profiles).flatMap((id) => library.get(id) ?? []);
  const telemetry = collect(profiles, (profile) => profile.telemetry);
  const commands = collect(profiles, (profile) => profile.commands);
  const properties = collect(profiles, (profile) => profile.properties);
  const parts = [
    head(plan),
    runtime(plan),
    section(
      "# What rarely changes: serial number, rated power, firmware version.",
      "properties",
      fieldLines(properties, EXAMPLE_PROPERTY),
    ),
    section(
      "# What changes: measured values and states, kept as time series. Units are UCUM (W, Cel, %) or kWh, VA, var, Ah.",
      "telemetry",
      fieldLines(telemetry, EXAMPLE_TELEMETRY),
    ),
    section("# Every command belongs to a group.", "command_groups", ["operation:", "  display_name: Operation"]),
    section(
      "# What people and programs may ask the device to do. access_level: readonly, user, owner, installer, vendor, system.",
      "commands",
      commandLines(commands),
    ),
    section(
      "# What can go wrong. The device reports the IDs of active alerts in its telemetry.",
      "alerts",
      ALERT_LINES,
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function collect<T>(
  profiles: readonly Profile[],
  pick: (profile: Profile) => ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  return new Map(profiles.flatMap((profile) => [...pick(profile)]));
}

function head({ schema, displayName, category, profiles }: ManifestPlan): string {
  const implement = profiles.length === 0 ? [] : ["implements:", ...profiles.map((id) => `  - ${id}`)];
  return [
    `# yaml-language-server: $schema=${schema}`,
    "blueprint_spec: device/3.0",
    "",
    `display_name: ${JSON.stringify(displayName)}`,
    "# One or two sentences for people who choose a blueprint.",
    'description: ""',
    ...(category === undefined ? [] : [`category: ${category}`]),
    ...(profiles.length === 0 ? [] : ["# Promises that other programs rely on; lint says what is missing."]),
    ...implement,
  ].join("\n");
}

function runtime({ runtime: type }: ManifestPlan): string {
  if (type === "embedded") return "# The device speaks for itself, over MQTT.\nruntime:\n  type: embedded";
  return "# Busbar runs this script for each device.\nruntime:\n  type: lua\n  options:\n    file: main.lua";
}

function section(comment: string, name: string, lines: readonly string[]): string {
  return [comment, `${name}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}

const EXAMPLE_PROPERTY = ["serial_number:", "  type: string", "  display_name: Serial number"];
const EXAMPLE_TELEMETRY = ["power:", "  type: float", "  unit: W", "  display_name: Power"];
const ALERT_LINES = [
  "overheated:",
  "  severity: warning",
  "  display_name: Too hot",
  "  # Only after it has lasted this long.",
  "  grace_period: 1m",
  "  troubleshooting:",
  "    - Check the ventilation.",
];
const STATUS_LINES = [
  "  enum:",
  "    ok:",
  "      display_name: OK",
  "      color: green",
  "    fault:",
  "      display_name: Fault",
  "      color: red",
];

function fieldLines(fields: ReadonlyMap<string, ProfileField>, example: readonly string[]): readonly string[] {
  if (fields.size === 0) return example;
  return [...fields].flatMap(([id, field]) => [
    `${id}:`,
    ...describe(id, field).map((line) => `  ${line}`),
    ...(id === "status" && field.enum === undefined ? STATUS_LINES : []),
  ]);
}

function describe(id: string, { type, unit, displayName, description, enum: values }: ProfileField): readonly string[] {
  return [
    `type: ${type}`,
    ...(unit === undefined ? [] : [`unit: ${JSON.stringify(unit)}`]),
    `display_name: ${JSON.stringify(displayName ?? id)}`,
    ...(description === "" ? [] : [`description: ${JSON.stringify(description)}`]),
    ...(values === undefined ? [] : [`enum: ${JSON.stringify(values.map(({ value }) => value))}`]),
  ];
}

function commandLines(commands: ReadonlyMap<string, ProfileCommand>): readonly string[] {
  if (commands.size === 0) {
    return [
      "restart:",
      "  group: operation",
      "  display_name: Restart",
      "  access_level: owner",
      ...CONFIRMATION_LINES,
    ];
  }
  return [...commands].flatMap(([id, command]) => [
    `${id}:`,
    "  group: operation",
    `  display_name: ${JSON.stringify(command.displayName ?? id)}`,
    ...(command.arguments.size === 0 ? [] : ["  arguments:"]),
    ...[...command.arguments].flatMap(([name, argument]) => [
      `    ${name}:`,
      ...describe(name, argument).map((line) => `      ${line}`),
      ...(argument.required ? ["      required: true"] : []),
    ]),
    ...(command.response.size === 0 ? [] : ["  response:"]),
    ...[...command.response].flatMap(([name, field]) => [
      `    ${JSON.stringify(name)}:`,
      ...describe(name, field).map((line) => `      ${line}`),
    ]),
  ]);
}

const CONFIRMATION_LINES = ["  confirmation:", "    severity: warning", "    title: Restart the device?"];
