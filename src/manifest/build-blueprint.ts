import type { AccessLevel } from "#core/access/level.ts";
import type {
  Alert,
  Blueprint,
  Command,
  ConfigurationBucket,
  EnumValue,
  JsonSchemaSource,
  JsonValue,
  Property,
  TelemetryAttribute,
  TelemetryType,
  ValueType,
} from "#core/blueprint/blueprint.ts";
import { splitFieldName } from "#core/blueprint/profile.ts";
import type { MANIFEST } from "#core/blueprint/schema.ts";
import type { Raw, RawEnumItem, Valid } from "#core/blueprint/shape.ts";
import type { EnumColor } from "#core/blueprint/vocabulary.ts";
import { NO_TIME, parseDuration } from "#core/time/duration.ts";
import { isInlineSchema } from "./check-files.ts";
import type { PackageFiles } from "./manifest-context.ts";
import { packagePath } from "./package-path.ts";
import type { ManifestExtension } from "./read-extension.ts";
import { readDefault, readEnumValue } from "./read-value.ts";

export type ValidManifest = Valid<typeof MANIFEST>;

/** Fills in what the author left out and reads values by their declared types. The manifest has no errors. */
export function buildBlueprint(
  manifest: ValidManifest,
  { alertLists, luaHost, modbusMap, controls, cancels }: ManifestExtension,
  files: PackageFiles | undefined,
): Blueprint {
  const propertyNames = effectiveAliases(manifest.properties);
  const telemetryNames = effectiveAliases(manifest.telemetry);
  return {
    spec: manifest.blueprintSpec,
    implements: manifest.implements ?? [],
    implementsDraft: manifest.implementsDraft ?? [],
    category: manifest.category,
    displayName: manifest.displayName,
    description: manifest.description ?? "",
    icon: manifest.icon,
    properties: mapEntries(
      manifest.properties,
      (id, property): Property => ({
        ...attribute(id, property),
        aliases: propertyNames.get(id) ?? [],
        type: property.type,
        jsonSchema: schemaSource(property.jsonSchema, files),
      }),
    ),
    telemetry: mapEntries(
      manifest.telemetry,
      (id, telemetry): TelemetryAttribute => ({
        ...attribute(id, telemetry),
        aliases: telemetryNames.get(id) ?? [],
        type: telemetry.type,
      }),
    ),
    commandGroups: mapEntries(manifest.commandGroups, (id, group) => ({
      id,
      displayName: group.displayName,
      description: group.description ?? "",
      icon: group.ui?.icon,
    })),
    commands: buildCommands(manifest, files, cancels),
    alerts: mapEntries(manifest.alerts, buildAlert),
    runtime: buildRuntime(manifest.runtime),
    author: manifest.author,
    contributors: manifest.contributors ?? [],
    support: { url: manifest.support?.url, email: manifest.support?.email },
    license: manifest.license,
    units: mapEntries(manifest.units, (id, unit) => ({
      id,
      symbol: unit.symbol,
      displayName: unit.displayName,
      description: unit.description ?? "",
    })),
    configuration: mapEntries(manifest.configuration, buildBucket),
    alertLists,
    luaHost,
    modbusMap,
    controls,
  } satisfies EveryField<Omit<ValidManifest, "blueprintSpec">> & {
    readonly spec: string;
    readonly alertLists: unknown;
    readonly modbusMap: unknown;
    readonly controls: unknown;
    readonly luaHost: unknown;
  };
}

/** So that the compiler asks for a field that the manifest language has and the blueprint lacks. */
type EveryField<T> = Readonly<Record<keyof T, unknown>>;

type Values<M> = NonNullable<M> extends ReadonlyMap<string, infer V> ? V : never;
type ValidAttribute = Values<ValidManifest["properties"]> | Values<ValidManifest["telemetry"]>;
type ValidCommand = Values<ValidManifest["commands"]>;
type ValidArgument = Values<ValidCommand["arguments"]>;
type ValidParameter = Values<Values<ValidManifest["configuration"]>["parameters"]>;

function attribute(id: string, given: ValidAttribute) {
  return {
    id,
    displayName: given.displayName,
    description: given.description ?? "",
    implements: given.implements ?? [],
    unit: given.unit,
    autoScale: given.autoScale ?? [],
    enum: enumValues(given.type, given.enum),
    accessLevel: given.accessLevel ?? ("readonly" satisfies AccessLevel),
  };
}

function buildCommands(
  manifest: ValidManifest,
  files: PackageFiles | undefined,
  cancels: ManifestExtension["cancels"],
): ReadonlyMap<string, Command> {
  const names = effectiveAliases(manifest.commands);
  const idOf = new Map([...names].flatMap(([id, aliases]) => aliases.map((alias) => [alias, id] as const)));
  return mapEntries(manifest.commands, (id, command): Command => {
    const accessLevel = command.accessLevel ?? "user";
    const source = command.populateValuesCommand;
    return {
      id,
      group: command.group,
      displayName: command.displayName,
      description: command.description ?? "",
      implements: command.implements ?? [],
      aliases: names.get(id) ?? [],
      arguments: mapEntries(command.arguments, (name, argument) => ({
        ...input(name, argument),
        jsonSchema: schemaSource(argument.jsonSchema, files),
        unit: argument.unit,
      })),
      response: mapEntries(command.response, (name, field) => ({
        id: name,
        displayName: field.displayName,
        description: field.description ?? "",
        type: field.type,
        required: field.required ?? false,
        enum: enumValues(field.type, field.enum),
        format: field.format,
        jsonSchema: schemaSource(field.jsonSchema, files),
        unit: field.unit,
      })),
      icon: command.ui?.icon,
      quickAccess: command.ui?.quickAccess ?? false,
      confirmation: command.confirmation && {
        severity: command.confirmation.severity,
        title: command.confirmation.title,
        description: command.confirmation.description ?? "",
      },
      accessLevel,
      readAccessLevel: command.readAccessLevel ?? accessLevel,
      populateValuesCommand: source === undefined || names.has(source) ? source : idOf.get(source),
      cancelCommand: cancels.get(id),
    };
  });
}

function input(id: string, given: ValidArgument | ValidParameter) {
  return {
    id,
    displayName: given.displayName,
    description: given.description ?? "",
    type: given.type,
    required: given.required ?? false,
    min: given.min,
    max: given.max,
    enum: enumValues(given.type, given.enum),
    format: given.format,
    sensitive: given.sensitive ?? false,
    default: defaultValue(given.type, given.default),
  };
}

function buildAlert(id: string, alert: Values<ValidManifest["alerts"]>): Alert {
  return {
    id,
    severity: alert.severity,
    displayName: alert.displayName,
    code: alert.code,
    gracePeriod: parseDuration(alert.gracePeriod ?? "") ?? NO_TIME,
    description: alert.description ?? "",
    troubleshooting: alert.troubleshooting ?? [],
    telemetry: alert.telemetry ?? [],
    components: alert.components ?? [],
    conditions: alert.conditions ?? [],
  } satisfies EveryField<typeof alert> & { readonly id: string };
}

function buildRuntime({ type, options, requirements }: ValidManifest["runtime"]): Blueprint["runtime"] {
  return {
    type,
    options: {
      dir: options?.dir,
      file: options?.file,
      rockspec: options?.rockspec,
      luarocks: options?.luarocks ?? [],
      allowDevLuarocks: options?.allowDevLuarocks ?? false,
      amalgMode: options?.amalgMode ?? [],
    },
    requirements: requirements ?? [],
  };
}

function buildBucket(id: string, bucket: Values<ValidManifest["configuration"]>): ConfigurationBucket {
  return {
    id,
    displayName: bucket.displayName,
    description: bucket.description ?? "",
    icon: bucket.ui?.icon,
    accessLevel: bucket.accessLevel ?? "user",
    parameters: mapEntries(bucket.parameters, input),
  };
}

type ValidEnum = readonly RawEnumItem<{
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly color?: EnumColor | undefined;
}>[];

function enumValues(type: ValueType | TelemetryType, items: ValidEnum | undefined): readonly EnumValue[] | undefined {
  if (items === undefined) return undefined;
  const values = new Map<unknown, EnumValue>();
  for (const { raw, item } of items) {
    const value = readEnumValue(type, raw)?.value;
    if (value === undefined || values.has(value)) continue;
    values.set(value, {
      value,
      displayName: item?.displayName,
      description: item?.description,
      color: item?.color,
    });
  }
  return [...values.values()];
}

function defaultValue(type: ValueType, raw: Raw | undefined): JsonValue | undefined {
  return raw && readDefault(type, raw)?.value;
}

function schemaSource(text: string | undefined, files: PackageFiles | undefined): JsonSchemaSource | undefined {
  if (text === undefined) return undefined;
  if (isInlineSchema(text)) return { text, file: undefined };
  const path = packagePath(text) ?? text;
  return { text: files?.read(path), file: path };
}

interface Named {
  readonly aliases: readonly string[] | undefined;
  readonly implements: readonly string[] | undefined;
}

/**
 * The aliases that the author wrote, then the names of the profile fields that the entry implements. A profile name yields
 * to every name that the author gave, and to the first entry that implements it.
 */
function effectiveAliases(named: ReadonlyMap<string, Named> | undefined): ReadonlyMap<string, readonly string[]> {
  const taken = new Set<string>(named?.keys());
  for (const { aliases } of named?.values() ?? []) for (const alias of aliases ?? []) taken.add(alias);
  return mapEntries(named, (id, entry) => {
    const own = (entry.aliases ?? []).filter((alias) => alias !== id);
    const fromProfiles = (entry.implements ?? [])
      .map((fieldName) => splitFieldName(fieldName).field)
      .filter((field) => field !== "" && !taken.has(field) && taken.add(field));
    return [...own, ...fromProfiles];
  });
}

function mapEntries<A, B>(
  map: ReadonlyMap<string, A> | undefined,
  change: (key: string, value: A) => B,
): ReadonlyMap<string, B> {
  const changed = new Map<string, B>();
  for (const [key, value] of map ?? []) changed.set(key, change(key, value));
  return changed;
}
