import type {
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
import { resolveControls } from "#manifest/control/resolve-controls.ts";

/** TypeScript types of what a device sends and takes, named after the manifest. Needs no import. */
export function renderTypes(blueprint: Blueprint, profiles: ProfileLibrary): string {
  const controls = resolveControls(blueprint, profiles);
  const parts = [
    `// Types of the blueprint ${JSON.stringify(blueprint.displayName)}, written by busbar blueprint types.`,
    renderInterface(
      "Telemetry",
      "Latest values by attribute. An attribute that was never sent is absent.",
      [...blueprint.telemetry.values()].map((one) =>
        field({ id: one.id, optional: true, type: attributeType(one), lines: describeAttribute(blueprint, one) }),
      ),
    ),
    renderInterface(
      "Properties",
      "What rarely changes.",
      [...blueprint.properties.values()].map((one) =>
        field({ id: one.id, optional: true, type: attributeType(one), lines: describeAttribute(blueprint, one) }),
      ),
    ),
    renderInterface(
      "Commands",
      "Arguments and answers by command.",
      [...blueprint.commands.values()].map((one) => renderCommand(blueprint, one)),
    ),
    renderInterface(
      "Configuration",
      "Parameters by bucket.",
      [...blueprint.configuration.values()].map((bucket) =>
        field({
          id: bucket.id,
          optional: false,
          type: block([...bucket.parameters.values()].map((one) => inputField(blueprint, one))),
          lines: [bucket.displayName, bucket.description],
        }),
      ),
    ),
    renderInterface(
      "Controls",
      "Values that can be claimed, by control.",
      [...controls.values()].map((one) =>
        field({
          id: one.id,
          optional: false,
          type: "number",
          lines: [one.displayName, rangeLine(one), unitLine(blueprint, one.unit)],
        }),
      ),
    ),
    `/** Alerts that the device may raise. */\nexport type AlertId = ${union([...blueprint.alerts.keys()])};`,
    DEVICE,
  ];
  return `${parts.join("\n\n")}\n`;
}

function rangeLine({ min, max, argumentType }: Control): string {
  if (argumentType === "boolean") return "0 is off, 1 is on.";
  const low = Number.isFinite(min) ? `from ${min}` : "";
  const high = Number.isFinite(max) ? `to ${max}` : "";
  return [low, high].join(" ").trim();
}

/** What `@busbar/client` takes as the shape of a device. */
const DEVICE = `/** A device with this blueprint, for createClient<{ slug: Device }>() of @busbar/client. */
export interface Device {
  readonly telemetry: Telemetry;
  readonly properties: Properties;
  readonly commands: Commands;
  readonly configuration: Configuration;
  readonly alerts: AlertId;
}`;

function renderInterface(name: string, about: string, fields: readonly string[]): string {
  const body = block(fields);
  return `${comment([about])}export ${fields.length === 0 ? `type ${name} = ${body};` : `interface ${name} ${body}`}`;
}

function renderCommand(blueprint: Blueprint, command: Command): string {
  const inputs = [...command.arguments.values()].map((one) => inputField(blueprint, one));
  const answers = [...command.response.values()].map((one) =>
    field({
      id: one.id,
      optional: !one.required,
      type: valueType(one.type, one.enum),
      lines: [one.displayName ?? "", one.description, unitLine(blueprint, one.unit)],
    }),
  );
  const type = block([
    field({ id: "arguments", optional: false, type: block(inputs), lines: [] }),
    field({ id: "response", optional: false, type: block(answers), lines: [] }),
  ]);
  return field({ id: command.id, optional: false, type, lines: [command.displayName, command.description] });
}

function inputField(blueprint: Blueprint, input: CommandArgument | ConfigurationParameter): string {
  return field({
    id: input.id,
    optional: !input.required || input.default !== undefined,
    type: valueType(input.type, input.enum),
    lines: [
      input.displayName,
      input.description,
      "unit" in input ? unitLine(blueprint, input.unit) : "",
      input.min === undefined && input.max === undefined ? "" : `Range: ${input.min ?? ""} to ${input.max ?? ""}`,
      input.default === undefined ? "" : `Default: ${JSON.stringify(input.default)}`,
    ],
  });
}

function describeAttribute(blueprint: Blueprint, attribute: Property | TelemetryAttribute): readonly string[] {
  return [attribute.displayName, attribute.description, unitLine(blueprint, attribute.unit)];
}

function unitLine(blueprint: Blueprint, unit: string | undefined): string {
  return unit === undefined ? "" : `Unit: ${blueprint.units.get(unit)?.symbol ?? unit}`;
}

function attributeType({ type, enum: values }: Property | TelemetryAttribute): string {
  // An id that is not declared is an alert too.
  return type === "alerts" ? "readonly string[]" : valueType(type, values);
}

function valueType(
  type: Property["type"] | TelemetryAttribute["type"],
  values: readonly EnumValue[] | undefined,
): string {
  const choices = values === undefined ? undefined : union(values.map(({ value }) => value));
  switch (type) {
    case "boolean":
      return choices ?? "boolean";
    case "integer":
    case "float":
      return choices ?? "number";
    case "string":
      return choices ?? "string";
    case "array_of_strings":
      return choices === undefined ? "readonly string[]" : `readonly (${choices})[]`;
    case "alerts":
      return "readonly string[]";
    case "json":
      return "unknown";
  }
}

function union(values: readonly (string | number | boolean)[]): string {
  return values.length === 0 ? "never" : values.map((value) => JSON.stringify(value)).join(" | ");
}

type Field = {
  readonly id: string;
  readonly optional: boolean;
  readonly type: string;
  readonly lines: readonly string[];
};

function field({ id, optional, type, lines }: Field): string {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : JSON.stringify(id);
  return `${comment(lines)}readonly ${name}${optional ? "?" : ""}: ${type};`;
}

function comment(lines: readonly string[]): string {
  // The end of a comment inside it would let a manifest write code.
  const said = lines
    .map((line) => line.replaceAll(/\s+/g, " ").trim().replaceAll("*/", "*\\/"))
    .filter((line) => line !== "");
  if (said.length === 0) return "";
  return said.length === 1 ? `/** ${said[0]} */\n` : `/**\n${said.map((line) => ` * ${line}`).join("\n")}\n */\n`;
}

function block(fields: readonly string[]): string {
  if (fields.length === 0) return "Readonly<Record<string, never>>";
  return `{\n${fields.map((one) => one.replaceAll(/^/gm, "  ")).join("\n")}\n}`;
}
