import type { AccessLevel } from "#core/access/level.ts";
import type { DeclaredControl } from "#core/control/declared-control.ts";
import type { Duration } from "#core/time/duration.ts";
import type { Category, EnumColor } from "./vocabulary.ts";

export const VALUE_TYPES = ["boolean", "string", "integer", "float", "array_of_strings", "json"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export const TELEMETRY_TYPES = ["boolean", "string", "integer", "float", "array_of_strings", "alerts"] as const;
export type TelemetryType = (typeof TELEMETRY_TYPES)[number];

/**
 * A manifest that has no errors, as the rest of the program sees it: every default of the manifest language is filled in,
 * `undefined` means that the author left it out and that no default exists. Maps keep the order of the document.
 */
export interface Blueprint {
  readonly spec: string;
  /** Profiles as the author listed them; a profile library resolves what they include. */
  readonly implements: readonly string[];
  readonly implementsDraft: readonly string[];
  readonly category: Category | undefined;
  readonly displayName: string;
  readonly description: string;
  readonly icon: string | undefined;
  readonly properties: ReadonlyMap<string, Property>;
  readonly telemetry: ReadonlyMap<string, TelemetryAttribute>;
  readonly commandGroups: ReadonlyMap<string, CommandGroup>;
  readonly commands: ReadonlyMap<string, Command>;
  readonly alerts: ReadonlyMap<string, Alert>;
  readonly runtime: Runtime;
  readonly author: string | undefined;
  readonly contributors: readonly string[];
  readonly support: Support;
  readonly license: string | undefined;
  readonly units: ReadonlyMap<string, Unit>;
  readonly configuration: ReadonlyMap<string, ConfigurationBucket>;
  /** Whether the device repeats its lists of alerts with its telemetry, or sends them only when they change. */
  readonly alertLists: AlertLists;
  /** The host that its Lua was written for. */
  readonly luaHost: LuaHostVersion;
  /** The file with its map of Modbus registers. */
  readonly modbusMap: string | undefined;
  /** Quantities that can be controlled, without those that its profiles declare. */
  readonly controls: ReadonlyMap<string, DeclaredControl>;
}

/** That of device/3.0, and that of device/1.0. */
export const LUA_HOSTS = ["v3", "v1"] as const;
export type LuaHostVersion = (typeof LUA_HOSTS)[number];

export const ALERT_LISTS = ["repeated", "on_change"] as const;
export type AlertLists = (typeof ALERT_LISTS)[number];

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** One allowed value. For `array_of_strings` and `alerts` it is an allowed element. */
export interface EnumValue {
  readonly value: string | number | boolean;
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly color: EnumColor | undefined;
}

/** `text` is the schema itself; undefined only when a manifest without its package names a file. */
export interface JsonSchemaSource {
  readonly text: string | undefined;
  readonly file: string | undefined;
}

/** What properties and telemetry attributes share. */
interface Attribute {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** `<profile id>.<field name>` each. */
  readonly implements: readonly string[];
  /** Other names that work, profile field names included. */
  readonly aliases: readonly string[];
  readonly unit: string | undefined;
  readonly autoScale: readonly string[];
  readonly enum: readonly EnumValue[] | undefined;
  /** Needed to read the value. */
  readonly accessLevel: AccessLevel;
}

export interface Property extends Attribute {
  readonly type: ValueType;
  readonly jsonSchema: JsonSchemaSource | undefined;
}

export interface TelemetryAttribute extends Attribute {
  readonly type: TelemetryType;
}

interface CommandGroup {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly icon: string | undefined;
}

export interface Command {
  readonly id: string;
  readonly group: string;
  readonly displayName: string;
  readonly description: string;
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
  readonly arguments: ReadonlyMap<string, CommandArgument>;
  readonly response: ReadonlyMap<string, CommandResponseField>;
  readonly icon: string | undefined;
  readonly quickAccess: boolean;
  readonly confirmation: Confirmation | undefined;
  /** Needed to run the command. */
  readonly accessLevel: AccessLevel;
  /** Needed to read its executions. */
  readonly readAccessLevel: AccessLevel;
  /** Id of the command whose answer pre-fills the arguments. */
  readonly populateValuesCommand: string | undefined;
  /** Id of the command that cancels it while it runs. */
  readonly cancelCommand: string | undefined;
}

/** An argument of a command that cancels: it gets the id of the execution. */
export const CANCELLED_ARGUMENT = "execution_id";

/** What is asked before a command runs. */
export interface Confirmation {
  readonly severity: "info" | "warning";
  readonly title: string;
  readonly description: string;
}

/** What arguments, response fields and configuration parameters share. */
interface Field {
  readonly id: string;
  readonly description: string;
  readonly type: ValueType;
  readonly required: boolean;
  readonly enum: readonly EnumValue[] | undefined;
  readonly format: string | undefined;
}

/** What a person fills in: command arguments and configuration parameters. */
interface Input extends Field {
  readonly displayName: string;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly sensitive: boolean;
  /** Already of the declared type. */
  readonly default: JsonValue | undefined;
}

export interface CommandArgument extends Input {
  readonly jsonSchema: JsonSchemaSource | undefined;
  readonly unit: string | undefined;
}

export interface CommandResponseField extends Field {
  readonly displayName: string | undefined;
  readonly jsonSchema: JsonSchemaSource | undefined;
  readonly unit: string | undefined;
}

export interface Alert {
  readonly id: string;
  readonly severity: "info" | "warning" | "error";
  readonly displayName: string;
  readonly code: string | undefined;
  readonly gracePeriod: Duration;
  readonly description: string;
  readonly troubleshooting: readonly string[];
  readonly telemetry: readonly string[];
  readonly components: readonly string[];
  readonly conditions: readonly string[];
}

interface Runtime {
  readonly type: "lua" | "embedded";
  readonly options: LuaOptions;
  readonly requirements: readonly string[];
}

interface LuaOptions {
  readonly dir: string | undefined;
  readonly file: string | undefined;
  readonly rockspec: string | undefined;
  readonly luarocks: readonly string[];
  readonly allowDevLuarocks: boolean;
  readonly amalgMode: readonly ("isolate" | "nodebug")[];
}

interface Support {
  readonly url: string | undefined;
  readonly email: string | undefined;
}

interface Unit {
  readonly id: string;
  readonly symbol: string;
  readonly displayName: string | undefined;
  readonly description: string;
}

export interface ConfigurationBucket {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  readonly icon: string | undefined;
  /** Needed to read and to write the bucket. */
  readonly accessLevel: AccessLevel;
  readonly parameters: ReadonlyMap<string, ConfigurationParameter>;
}

export type ConfigurationParameter = Input;
