// What a manifest declares, as types for LuaLS: telemetry, properties, arguments of commands, configuration.
import type {
  Blueprint,
  CommandArgument,
  ConfigurationParameter,
  EnumValue,
  TelemetryType,
  ValueType,
} from "#core/blueprint/blueprint.ts";
import type { HostApi } from "./create-host-api.ts";

export const argumentsClass = (command: string): string => `enapter.arguments.${command}`;
export const bucketClass = (bucket: string): string => `configuration.values.${bucket}`;

interface Described {
  readonly id: string;
  readonly type: ValueType | TelemetryType;
  readonly enum?: readonly EnumValue[] | undefined;
  readonly displayName?: string | undefined;
  readonly unit?: string | undefined;
}

/** The aliases of the register, those of the manifest replaced by what it declares. */
export function renderManifestStub(api: HostApi, blueprint: Blueprint): readonly string[] {
  const { telemetry, properties, commands, configuration } = blueprint;
  const reserved = ["---@field alerts? string[]", "---@field alert_details? table"].filter(
    (line) => !telemetry.has(line.replace(/^\S+ (\w+).*$/, "$1")),
  );
  const own = new Map<string, string>([
    ["enapter.Telemetry", classOf("enapter.Telemetry", [...[...telemetry.values()].map(sentField), ...reserved])],
    ["enapter.Properties", classOf("enapter.Properties", [...properties.values()].map(sentField))],
    ["enapter.CommandName", `---@alias enapter.CommandName ${anyOf(commands.keys())}`],
    ["configuration.Bucket", `---@alias configuration.Bucket ${anyOf(configuration.keys())}`],
  ]);
  return [
    ...[...api.aliases].map(([name, type]) => own.get(name) ?? `---@alias ${name} ${type}`),
    ...[...commands.values()].map(({ id, arguments: given }) =>
      classOf(argumentsClass(id), [...given.values()].map(givenField)),
    ),
    ...[...configuration.values()].map(({ id, parameters }) =>
      classOf(bucketClass(id), [...parameters.values()].map(givenField)),
    ),
  ];
}

function classOf(name: string, fields: readonly string[]): string {
  return [`---@class (exact) ${name}`, ...fields].join("\n");
}

/** Of what a script sends: it may compute its texts, so any text is fine for the editor. */
function sentField(one: Described): string {
  return fieldOf({ ...one, isOptional: true, choices: one.enum && anyOf(textsOf(one.enum)) });
}

/** Of what a script is given. */
function givenField(one: CommandArgument | ConfigurationParameter): string {
  const isOptional = !one.required && one.default === undefined;
  return fieldOf({ ...one, isOptional, choices: one.enum && literals(textsOf(one.enum)) });
}

const textsOf = (values: readonly EnumValue[]): readonly string[] => values.map(({ value }) => String(value));

function fieldOf({
  id,
  type,
  displayName,
  unit,
  isOptional,
  choices,
}: Described & { readonly isOptional: boolean; readonly choices: string | undefined }): string {
  const key = /^[A-Za-z_]\w*$/.test(id) ? id : `['${id}']`;
  const said = [displayName ?? "", unit === undefined ? "" : `(${unit})`].join(" ");
  // On one line: a text of the manifest writes no code.
  const about = said.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  const known = type === "string" ? (choices ?? "string") : TYPES[type];
  return `---@field ${key}${isOptional ? "?" : ""} ${known} ${about}`.trimEnd();
}

const TYPES: Readonly<Record<Described["type"], string>> = {
  boolean: "boolean",
  integer: "integer",
  float: "number",
  string: "string",
  array_of_strings: "string[]",
  alerts: "string[]",
  json: "any",
};

const anyOf = (values: Iterable<string>): string => {
  const list = literals(values);
  return list === "string" ? list : `${list}|string`;
};

/** Texts that cannot be written as a literal leave only `string`. */
function literals(values: Iterable<string>): string {
  const list = [...values];
  const isPlain = list.length > 0 && list.every((value) => /^[\w .:/+-]+$/.test(value));
  return isPlain ? list.map((value) => `'${value}'`).join("|") : "string";
}
