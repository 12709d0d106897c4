// A device's compiled manifest, as the page reads it. Maps keep the order of the manifest and have no names of their own.
import type { AccessLevel } from "#core/access/level.ts";

export type EnumValue = {
  readonly value: string | number | boolean;
  readonly displayName: string;
  readonly description: string | undefined;
  /** One of the 40 colours, such as `green-light`. */
  readonly color: string | undefined;
};

/** What telemetry, properties, arguments, response fields and configuration parameters share. */
export type Field = {
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
  readonly description: string | undefined;
  readonly unit: string | undefined;
  readonly enum: readonly EnumValue[] | undefined;
};

export type Attribute = Field & {
  readonly autoScale: readonly string[];
  /** `<profile>.<field>` each. */
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
  readonly accessLevel: AccessLevel;
};

/** What a person fills in. */
export type Input = Field & {
  readonly required: boolean;
  readonly default: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly sensitive: boolean;
  readonly format: string | undefined;
  /** Its text. */
  readonly jsonSchema: string | undefined;
};

export type Command = {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | undefined;
  readonly group: string | undefined;
  readonly icon: string | undefined;
  readonly quickAccess: boolean;
  readonly accessLevel: AccessLevel;
  readonly readAccessLevel: AccessLevel;
  readonly confirmation:
    | { readonly severity: "info" | "warning"; readonly title: string; readonly description: string | undefined }
    | undefined;
  readonly populateValuesCommand: string | undefined;
  readonly arguments: ReadonlyMap<string, Input>;
  readonly response: ReadonlyMap<string, Input>;
};

export type Group = {
  readonly id: string;
  readonly displayName: string;
  readonly description: string | undefined;
  readonly icon: string | undefined;
};

export type ConfigurationBucket = Group & {
  readonly accessLevel: AccessLevel;
  readonly parameters: ReadonlyMap<string, Input>;
};

type AlertDeclaration = {
  readonly id: string;
  readonly severity: "info" | "warning" | "error";
  readonly displayName: string;
  readonly description: string | undefined;
  readonly telemetry: readonly string[];
};

export type Manifest = {
  readonly displayName: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly icon: string | undefined;
  /** All profiles, those that others include too. */
  readonly profiles: readonly string[];
  readonly runtime: string | undefined;
  /** Symbols of the units that the manifest declares itself. */
  readonly units: ReadonlyMap<string, string>;
  readonly properties: ReadonlyMap<string, Attribute>;
  readonly telemetry: ReadonlyMap<string, Attribute>;
  readonly commandGroups: ReadonlyMap<string, Group>;
  readonly commands: ReadonlyMap<string, Command>;
  readonly alerts: ReadonlyMap<string, AlertDeclaration>;
  readonly configuration: ReadonlyMap<string, ConfigurationBucket>;
};

/** Reads any object: what is missing or of another form is left out, so that a strange manifest never breaks a screen. */
export function readManifest(json: unknown): Manifest {
  const manifest = object(json);
  // The first picture needs telemetry and units only; what is not asked for is not read.
  const properties = once(() => mapOf(manifest["properties"], readAttribute));
  const commands = once(() => mapOf(manifest["commands"], readCommand));
  const alerts = once(() => mapOf(manifest["alerts"], readAlert));
  const configuration = once(() => mapOf(manifest["configuration"], readBucket));
  return {
    displayName: text(manifest["display_name"]),
    description: text(manifest["description"]),
    category: text(manifest["category"]),
    icon: text(manifest["icon"]),
    profiles: [...texts(manifest["implements"]), ...texts(manifest["implements_draft"])],
    runtime: text(object(manifest["runtime"])["type"]),
    units: mapOf(manifest["units"], (id, unit) => text(unit["symbol"]) ?? id),
    telemetry: mapOf(manifest["telemetry"], readAttribute),
    commandGroups: mapOf(manifest["command_groups"], readGroup),
    get properties() {
      return properties();
    },
    get commands() {
      return commands();
    },
    get alerts() {
      return alerts();
    },
    get configuration() {
      return configuration();
    },
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const SEVERITIES = ["info", "warning", "error"] as const;

type Json = Readonly<Record<string, unknown>>;

function readField(id: string, field: Json): Field {
  return {
    id,
    type: text(field["type"]) ?? "string",
    displayName: text(field["display_name"]) ?? id,
    description: text(field["description"]),
    unit: text(field["unit"]),
    enum: readEnum(field),
  };
}

function readAttribute(id: string, field: Json): Attribute {
  return {
    ...readField(id, field),
    autoScale: texts(field["auto_scale"]),
    implements: texts(field["implements"]),
    aliases: texts(field["aliases"]),
    accessLevel: level(field["access_level"], "readonly"),
  };
}

function readInput(id: string, field: Json): Input {
  return {
    ...readField(id, field),
    required: field["required"] === true,
    default: field["default"],
    min: number(field["min"]),
    max: number(field["max"]),
    sensitive: field["sensitive"] === true,
    format: text(field["format"]),
    jsonSchema: text(field["json_schema"]),
  };
}

function readGroup(id: string, group: Json): Group {
  return {
    id,
    displayName: text(group["display_name"]) ?? id,
    description: text(group["description"]),
    icon: text(object(group["ui"])["icon"]),
  };
}

function readCommand(id: string, command: Json): Command {
  const confirmation = command["confirmation"] === undefined ? undefined : object(command["confirmation"]);
  return {
    ...readGroup(id, command),
    group: text(command["group"]),
    quickAccess: object(command["ui"])["quick_access"] === true,
    accessLevel: level(command["access_level"], "user"),
    readAccessLevel: level(command["read_access_level"], "readonly"),
    confirmation: confirmation && {
      severity: confirmation["severity"] === "warning" ? "warning" : "info",
      title: text(confirmation["title"]) ?? "",
      description: text(confirmation["description"]),
    },
    populateValuesCommand: text(command["populate_values_command"]),
    arguments: mapOf(command["arguments"], readInput),
    response: mapOf(command["response"], readInput),
  };
}

function readAlert(id: string, alert: Json): AlertDeclaration {
  return {
    id,
    severity: SEVERITIES.find((known) => known === alert["severity"]) ?? "error",
    displayName: text(alert["display_name"]) ?? id,
    description: text(alert["description"]),
    telemetry: texts(alert["telemetry"]),
  };
}

function readBucket(id: string, bucket: Json): ConfigurationBucket {
  return {
    ...readGroup(id, bucket),
    accessLevel: level(bucket["access_level"], "user"),
    parameters: mapOf(bucket["parameters"], readInput),
  };
}

function readEnum(field: Json): readonly EnumValue[] | undefined {
  const described = field["enum_with_metainfo"];
  if (Array.isArray(described)) {
    return described.map(object).flatMap((one) => {
      const value = scalar(one["value"]);
      return value === undefined
        ? []
        : [
            {
              value,
              displayName: text(one["display_name"]) ?? String(value),
              description: text(one["description"]),
              color: text(one["color"]),
            },
          ];
    });
  }
  if (!Array.isArray(field["enum"])) return undefined;
  return field["enum"].flatMap((one) => {
    const value = scalar(one);
    return value === undefined ? [] : [{ value, displayName: String(value), description: undefined, color: undefined }];
  });
}

function mapOf<Value>(section: unknown, read: (id: string, entry: Json) => Value): ReadonlyMap<string, Value> {
  return new Map(Object.entries(object(section)).map(([id, entry]) => [id, read(id, object(entry))]));
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function scalar(value: unknown): string | number | boolean | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

const LEVELS: ReadonlySet<unknown> = new Set<AccessLevel>([
  "readonly",
  "user",
  "owner",
  "installer",
  "vendor",
  "system",
]);

function level(value: unknown, otherwise: AccessLevel): AccessLevel {
  return LEVELS.has(value) ? (value as AccessLevel) : otherwise;
}
