// The manifest as programs read it: everything that the language leaves to defaults, short forms, profiles and files is
// written out, in one form each. Clients of the ecosystem expect this form.
import { KNOWN_ALERTS } from "#core/alert/known-alerts.ts";
import type { Blueprint, EnumValue, JsonSchemaSource } from "./blueprint.ts";
import { fullUnit } from "./full-unit.ts";
import { type ProfileLibrary, splitFieldName } from "./profile.ts";

type Json = Readonly<Record<string, unknown>>;

/** `manifest` is what the author wrote, and `blueprint` what it means. */
export function compileManifest(manifest: Json, blueprint: Blueprint, library: ProfileLibrary): Json {
  const closure = library.resolve([...blueprint.implements, ...blueprint.implementsDraft]);
  const given = (section: string) => (manifest[section] ?? {}) as Readonly<Record<string, Json>>;
  const fill = (section: Section) => implementedFields(blueprint[section], { section, closure, library });
  const [properties, telemetry, commands] = [fill("properties"), fill("telemetry"), fill("commands")];
  const { units } = blueprint;
  return {
    ...manifest,
    blueprint_spec: "device_compiled/3.0",
    implements: library.resolve(blueprint.implements),
    ...(blueprint.implementsDraft.length > 0 && { implements_draft: library.resolve(blueprint.implementsDraft) }),
    properties: mapFields(blueprint.properties, (id, property) => ({
      description: "",
      ...given("properties")[id],
      ...namesOf(property, properties.get(id)),
      access_level: property.accessLevel,
      ...compileValue(property, given("properties")[id], units),
    })),
    telemetry: {
      ...ADDED_TELEMETRY,
      ...mapFields(blueprint.telemetry, (id, attribute) => ({
        description: "",
        ...given("telemetry")[id],
        ...namesOf(attribute, telemetry.get(id)),
        access_level: attribute.accessLevel,
        ...compileValue(attribute, given("telemetry")[id], units),
      })),
    },
    commands: mapFields(blueprint.commands, (id, command) => {
      const own = given("commands")[id] ?? {};
      return {
        ...own,
        ...namesOf(command, commands.get(id)),
        access_level: command.accessLevel,
        read_access_level: command.readAccessLevel,
        ...(own["arguments"] !== undefined && { arguments: compileValues(command.arguments, own["arguments"], units) }),
        ...(own["response"] !== undefined && { response: compileValues(command.response, own["response"], units) }),
      };
    }),
    alerts: {
      ...(!blueprint.alerts.has(NOT_CONFIGURED) && { [NOT_CONFIGURED]: renderKnownAlert() }),
      ...given("alerts"),
    },
    ...(manifest["configuration"] !== undefined && {
      configuration: mapFields(blueprint.configuration, (id, bucket) => {
        const own = given("configuration")[id] ?? {};
        return {
          ...own,
          access_level: bucket.accessLevel,
          parameters: compileValues(bucket.parameters, own["parameters"], units),
        };
      }),
    }),
  };
}

const NOT_CONFIGURED = "not_configured";

/** What every device may send beside its declared telemetry. */
const ADDED_TELEMETRY = {
  alerts: {
    type: "alerts",
    display_name: "Alerts",
    description: "",
    implements: [],
    aliases: [],
    access_level: "readonly",
  },
  alert_details: {
    type: "json",
    display_name: "Alert details",
    description: "",
    implements: [],
    aliases: [],
    access_level: "readonly",
  },
};

function renderKnownAlert(): Json {
  const known = KNOWN_ALERTS.get(NOT_CONFIGURED);
  return { severity: known?.severity, display_name: known?.displayName };
}

interface Value {
  readonly enum: readonly EnumValue[] | undefined;
  readonly jsonSchema?: JsonSchemaSource | undefined;
  readonly unit?: string | undefined;
  readonly autoScale?: readonly string[] | undefined;
}

type Units = Blueprint["units"];

/** Plain values in a list; what a map of values says about them stands beside it. */
function compileValue(value: Value, own: Json | undefined, units: Units): Json {
  const schema = value.jsonSchema?.text;
  const isMap = value.enum !== undefined && !Array.isArray(own?.["enum"]);
  return {
    ...(value.enum !== undefined && { enum: value.enum.map((one) => one.value) }),
    ...(isMap && { enum_with_metainfo: value.enum?.map(renderEnumValue) }),
    ...(schema !== undefined && { json_schema: schema }),
    ...(value.unit !== undefined && compileUnit(value.unit, units)),
    ...(own?.["auto_scale"] !== undefined && {
      auto_scale: value.autoScale?.map((scale) => compileUnit(scale, units).unit),
    }),
  };
}

/** A UCUM code, or a key of `units`; where people write it differently, that stands beside it. */
function compileUnit(unit: string, units: Units): { readonly unit: string; readonly unit_symbol?: string } {
  const declared = units.get(unit);
  const code = declared === undefined ? fullUnit(unit) : unit;
  const symbol = declared?.symbol ?? unit;
  return { unit: code, ...(symbol !== code && { unit_symbol: symbol }) };
}

function compileValues(values: ReadonlyMap<string, Value>, own: unknown, units: Units): Json {
  const given = (own ?? {}) as Readonly<Record<string, Json>>;
  return mapFields(values, (name, value) => ({ ...given[name], ...compileValue(value, given[name], units) }));
}

function renderEnumValue({ value, displayName, description, color }: EnumValue): Json {
  return {
    value,
    display_name: displayName ?? String(value),
    ...(description !== undefined && { description }),
    ...(color !== undefined && { color }),
  };
}

type Section = "properties" | "telemetry" | "commands";

interface Named {
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
}

function namesOf({ implements: own, aliases }: Named, fields: readonly string[] = []): Json {
  return { implements: [...new Set([...own, ...fields])], aliases };
}

/**
 * The fields of profiles that each entry implements, as `<profile>.<field>`: those that it names, also through a profile
 * that includes the field's, and otherwise those of its own name or alias.
 */
function implementedFields(
  entries: ReadonlyMap<string, Named>,
  { section, closure, library }: { section: Section; closure: readonly string[]; library: ProfileLibrary },
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const byAlias = new Map([...entries].flatMap(([id, { aliases }]) => aliases.map((alias) => [alias, id] as const)));
  const claims = new Map<string, { readonly id: string; readonly profiles: ReadonlySet<string> }[]>();
  for (const [id, entry] of entries) {
    for (const name of entry.implements) {
      const { profile, field } = splitFieldName(name);
      const others = claims.get(field) ?? [];
      others.push({ id, profiles: new Set(library.resolve([profile])) });
      claims.set(field, others);
    }
  }
  for (const profile of closure) {
    for (const field of library.get(profile)?.[section].keys() ?? []) {
      const claimed = claims.get(field)?.find(({ profiles }) => profiles.has(profile))?.id;
      const id = claimed ?? (entries.has(field) ? field : byAlias.get(field));
      if (id !== undefined) found.set(id, [...(found.get(id) ?? []), `${profile}.${field}`]);
    }
  }
  return found;
}

/** Without a prototype, so that ids such as `constructor` are ordinary keys. */
function mapFields<Value>(map: ReadonlyMap<string, Value>, compile: (id: string, value: Value) => Json): Json {
  const fields: Record<string, Json> = Object.create(null);
  for (const [id, value] of map) fields[id] = compile(id, value);
  return fields;
}
