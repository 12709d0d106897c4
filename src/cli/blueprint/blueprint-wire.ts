import type {
  Blueprint,
  Command,
  CommandArgument,
  CommandResponseField,
  ConfigurationParameter,
  Confirmation,
  EnumValue,
  JsonSchemaSource,
  Property,
  TelemetryAttribute,
} from "#core/blueprint/blueprint.ts";
import { conformance } from "#core/blueprint/conformance.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import type { Control } from "#core/control/control.ts";
import type { ControlCall } from "#core/control/declared-control.ts";
import type { SpeltFields } from "#core/text/spelt-fields.ts";
import { formatDuration } from "#core/time/format-duration.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { areCompatible } from "#manifest/units.ts";

type Plain = Readonly<Record<string, unknown>>;
/** Every field but the id, which is the key. */
type Entry<T> = SpeltFields<Omit<T, "id">>;
type EntryOf<Name extends keyof Blueprint> =
  Blueprint[Name] extends ReadonlyMap<string, infer Value> ? Entry<Value> : never;

/**
 * A blueprint as Busbar understands it, in the words of the manifest: defaults filled in, names of profile fields among the
 * aliases, profiles with all that they include, and where it does not keep what they promise.
 */
export function renderResolved(blueprint: Blueprint, profiles: ProfileLibrary): Plain {
  return plain({
    blueprint_spec: blueprint.spec,
    display_name: blueprint.displayName,
    description: blueprint.description,
    category: blueprint.category,
    icon: blueprint.icon,
    implements: blueprint.implements,
    implements_draft: blueprint.implementsDraft,
    profiles: profiles.resolve([...blueprint.implements, ...blueprint.implementsDraft]),
    conformance: conformance(blueprint, profiles, areCompatible).map(({ profile, kind, message }) => ({
      profile,
      kind,
      message,
    })),
    runtime: plain({
      type: blueprint.runtime.type,
      requirements: blueprint.runtime.requirements,
      options: plain({
        dir: blueprint.runtime.options.dir,
        file: blueprint.runtime.options.file,
        rockspec: blueprint.runtime.options.rockspec,
        luarocks: blueprint.runtime.options.luarocks,
        allow_dev_luarocks: blueprint.runtime.options.allowDevLuarocks || undefined,
        amalg_mode: blueprint.runtime.options.amalgMode,
      } satisfies SpeltFields<Blueprint["runtime"]["options"]>),
    } satisfies SpeltFields<Blueprint["runtime"]>),
    author: blueprint.author,
    contributors: blueprint.contributors,
    support: plain({
      url: blueprint.support.url,
      email: blueprint.support.email,
    } satisfies SpeltFields<Blueprint["support"]>),
    license: blueprint.license,
    units: each(
      blueprint.units,
      ({ symbol, displayName, description }) =>
        ({
          symbol,
          display_name: displayName,
          description,
        }) satisfies EntryOf<"units">,
    ),
    properties: each(
      blueprint.properties,
      (property) =>
        ({
          ...renderAttribute(property),
          json_schema: renderSchema(property.jsonSchema),
        }) satisfies Entry<Property>,
    ),
    telemetry: each(blueprint.telemetry, renderAttribute),
    command_groups: each(
      blueprint.commandGroups,
      ({ displayName, description, icon }) =>
        ({
          display_name: displayName,
          description,
          icon,
        }) satisfies EntryOf<"commandGroups">,
    ),
    commands: each(blueprint.commands, renderCommand),
    alerts: each(
      blueprint.alerts,
      ({ id: _, displayName, gracePeriod, ...alert }) =>
        ({
          display_name: displayName,
          grace_period: formatDuration(gracePeriod),
          ...alert,
        }) satisfies EntryOf<"alerts">,
    ),
    configuration: each(
      blueprint.configuration,
      ({ displayName, description, icon, accessLevel, parameters }) =>
        ({
          display_name: displayName,
          description,
          icon,
          access_level: accessLevel,
          parameters: each(parameters, renderInput),
        }) satisfies EntryOf<"configuration">,
    ),
    alert_lists: blueprint.alertLists,
    lua_host: blueprint.luaHost,
    modbus_map: blueprint.modbusMap,
    controls: each(resolveControls(blueprint, profiles), renderResolvedControl),
  } satisfies SpeltFields<Omit<Blueprint, "spec">> & Plain);
}

function renderResolvedControl(control: Control): Plain {
  const { command, argument, reads, unit, min, max, step, ramp, safe, tolerance, profile } = control;
  return plain({
    display_name: control.displayName,
    profile,
    command,
    argument,
    reads: reads?.attribute,
    unit,
    min: Number.isFinite(min) ? min : undefined,
    max: Number.isFinite(max) ? max : undefined,
    step,
    ramp,
    tolerance,
    safe,
    refresh_ms: control.refreshMs,
    settle_ms: control.settleMs,
    interval_ms: control.intervalMs,
    prepare: control.prepare && renderCall(control.prepare),
    fallback:
      control.fallback?.kind === "command"
        ? { ...renderCall(control.fallback), value: control.fallback.value }
        : control.fallback,
  });
}

const renderCall = ({ command, arguments: values }: ControlCall) => ({
  command,
  arguments: Object.fromEntries(values),
});

function renderAttribute(attribute: Property | TelemetryAttribute) {
  return {
    type: attribute.type,
    display_name: attribute.displayName,
    description: attribute.description,
    implements: attribute.implements,
    aliases: attribute.aliases,
    unit: attribute.unit,
    auto_scale: attribute.autoScale,
    enum: renderEnum(attribute.enum),
    access_level: attribute.accessLevel,
  } satisfies Entry<TelemetryAttribute>;
}

function renderCommand(command: Command): Plain {
  return {
    group: command.group,
    display_name: command.displayName,
    description: command.description,
    implements: command.implements,
    aliases: command.aliases,
    arguments: each(
      command.arguments,
      (argument) =>
        ({
          ...renderInput(argument),
          unit: argument.unit,
          json_schema: renderSchema(argument.jsonSchema),
        }) satisfies Entry<CommandArgument>,
    ),
    response: each(command.response, renderResponseField),
    icon: command.icon,
    quick_access: command.quickAccess,
    confirmation: command.confirmation && renderConfirmation(command.confirmation),
    access_level: command.accessLevel,
    read_access_level: command.readAccessLevel,
    populate_values_command: command.populateValuesCommand,
    cancel_command: command.cancelCommand,
  } satisfies Entry<Command>;
}

function renderConfirmation({ severity, title, description }: Confirmation): Plain {
  return { severity, title, description } satisfies SpeltFields<Confirmation>;
}

function renderInput(input: CommandArgument | ConfigurationParameter) {
  return {
    type: input.type,
    display_name: input.displayName,
    description: input.description,
    required: input.required,
    default: input.default,
    min: input.min,
    max: input.max,
    enum: renderEnum(input.enum),
    format: input.format,
    sensitive: input.sensitive,
  } satisfies Entry<ConfigurationParameter>;
}

function renderResponseField(field: CommandResponseField): Plain {
  return {
    type: field.type,
    display_name: field.displayName,
    description: field.description,
    required: field.required,
    enum: renderEnum(field.enum),
    format: field.format,
    unit: field.unit,
    json_schema: renderSchema(field.jsonSchema),
  } satisfies Entry<CommandResponseField>;
}

function renderEnum(values: readonly EnumValue[] | undefined): unknown {
  return values?.map(({ value, displayName, description, color }) =>
    plain({ value, display_name: displayName, description, color } satisfies SpeltFields<EnumValue>),
  );
}

function renderSchema(source: JsonSchemaSource | undefined): unknown {
  return source && plain({ file: source.file, text: source.text } satisfies SpeltFields<JsonSchemaSource>);
}

function each<T>(map: ReadonlyMap<string, T>, render: (value: T) => Plain): Plain {
  const result: Record<string, unknown> = Object.create(null);
  for (const [id, value] of map) result[id] = plain(render(value));
  return result;
}

/** Without what says nothing: absent values, empty texts, lists and objects. */
function plain(record: Plain): Plain {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
