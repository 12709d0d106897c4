import { ACCESS_LEVELS } from "#core/access/level.ts";
import { TELEMETRY_TYPES, VALUE_TYPES } from "./blueprint.ts";
import { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";
import { flag, listOf, mapOf, number, object, oneOf, oneOrMore, optional, required, scalar, text } from "./shape.ts";
import { CATEGORIES, ENUM_COLORS } from "./vocabulary.ts";

/** Known manifest versions. A new minor version adds one entry. */
export const BLUEPRINT_SPECS = ["device/3.0"] as const;

/** The manifests that `busbar blueprint convert` takes. */
export const OLD_SPEC = "device/1.0";

// Names are keys of stored records, and an index of PostgreSQL holds 2,704 bytes. No call takes a longer name, either.
const idPattern = {
  regex: /^[A-Za-z][A-Za-z0-9_]{0,199}$/,
  words: "at most 200 letters, digits and _, beginning with a letter",
};
const alertIdPattern = { regex: /^[A-Za-z0-9_-]{1,200}$/, words: "at most 200 letters, digits, _ and -" };
const aliasPattern = { regex: /^[a-zA-Z0-9_]{1,200}$/, words: "at most 200 letters, digits and _" };
const MAX_DISPLAY_NAME = 500;

const accessLevel = oneOf(ACCESS_LEVELS);
const aliases = oneOrMore({ kind: "text", pattern: aliasPattern } as const);
const profiles = oneOrMore(text);
const ui = object("ui", { icon: optional(text, "Key of an icon.") });

const plainEnum = {
  kind: "enum",
  item: object("enum value", {
    display_name: optional(text, "Name shown instead of the value."),
    description: optional(text, "What the value means."),
  }),
} as const;

const colouredEnum = {
  kind: "enum",
  item: object("enum value", {
    display_name: optional(text, "Name shown instead of the value."),
    description: optional(text, "What the value means."),
    color: optional(oneOf(ENUM_COLORS), "Colour of the value, for example green or red-darker."),
  }),
} as const;

const unitFields = {
  unit: optional(text, "Unit of the value: a UCUM unit, an energy unit such as kWh, or a key of the top-level units."),
  allow_unit_c: optional(flag, "Says that the unit C really means Coulomb (degrees Celsius are Cel)."),
  allow_unit_f: optional(flag, "Says that the unit F really means Farad (degrees Fahrenheit are [degF])."),
  auto_scale: optional(listOf(text), "Units to which the value may be scaled for display."),
};

const attributeFields = {
  display_name: required(text, "Name shown to people."),
  description: optional(text, "Longer explanation."),
  implements: optional(profiles, "Profile fields that this implements, each as profile ID, dot, field name."),
  aliases: optional(aliases, "Other names that work as well."),
  ...unitFields,
};

const jsonSchema = optional(text, "A JSON schema, or the path of a file that contains one. For the type json.");
const format = optional(text, "A predefined format of the string type, for example date-time or uri.");

const property = object("property", {
  type: required(oneOf(VALUE_TYPES), "Type of the value."),
  ...attributeFields,
  enum: optional(plainEnum, "Allowed values."),
  access_level: optional(accessLevel, "Level needed to read the property. Default: readonly."),
  json_schema: jsonSchema,
});

const telemetryAttribute = object("telemetry attribute", {
  type: required(oneOf(TELEMETRY_TYPES), "Type of the values. alerts is a list of alert IDs."),
  ...attributeFields,
  enum: optional(colouredEnum, "Allowed values."),
  access_level: optional(accessLevel, "Level needed to read the attribute. Default: readonly."),
});

const commandGroup = object("command group", {
  display_name: required(text, "Heading of the group on the commands screen."),
  description: optional(text, "Longer explanation."),
  ui: optional(ui, "How the group is shown."),
});

const commandArgument = object("command argument", {
  display_name: required(text, "Name shown in the form."),
  description: optional(text, "Longer explanation."),
  required: optional(flag, "Whether the command needs it. Default: false."),
  type: required(oneOf(VALUE_TYPES), "Type of the value."),
  min: optional(number, "Smallest allowed number."),
  max: optional(number, "Largest allowed number."),
  enum: optional(plainEnum, "Allowed values."),
  format,
  json_schema: jsonSchema,
  sensitive: optional(flag, "Keeps the value out of logs and answers. Default: false."),
  default: optional(scalar, "Used when the argument is absent. Of the declared type."),
  unit: optional(text, "Unit of the value."),
});

const commandResponse = object("response field", {
  display_name: optional(text, "Name shown to people."),
  description: optional(text, "Longer explanation."),
  type: required(oneOf(VALUE_TYPES), "Type of the value."),
  required: optional(flag, "Whether every successful response has it. Default: false."),
  enum: optional(plainEnum, "Possible values."),
  format,
  json_schema: jsonSchema,
  unit: optional(text, "Unit of the value."),
});

const confirmation = object("confirmation", {
  severity: required(oneOf(["info", "warning"]), "How the dialog looks."),
  title: required(text, "Heading of the dialog."),
  description: optional(text, "Text of the dialog."),
});

const command = object("command", {
  group: required(text, "Group of the command, a key of command_groups."),
  display_name: required(text, "Name shown to people."),
  description: optional(text, "Longer explanation."),
  implements: optional(profiles, "Profile commands that this implements, each as profile ID, dot, command name."),
  aliases: optional(aliases, "Other names that work as well."),
  arguments: optional(mapOf({ keys: "argument name", pattern: idPattern }, commandArgument), "Arguments by name."),
  response: optional(mapOf({ keys: "response field" }, commandResponse), "Fields of a successful response by name."),
  ui: optional(
    object("ui", {
      icon: optional(text, "Key of an icon."),
      quick_access: optional(flag, "Shows the command in the quick-access menu on mobile. Default: false."),
    }),
    "How the command is shown.",
  ),
  confirmation: optional(confirmation, "Asks before the command runs."),
  access_level: optional(accessLevel, "Level needed to run the command. Default: user."),
  read_access_level: optional(accessLevel, "Level needed to read its executions. Default: the access_level."),
  populate_values_command: optional(text, "Command whose response pre-fills the arguments."),
});

const alert = object("alert", {
  severity: required(oneOf(["info", "warning", "error"]), "How bad it is."),
  display_name: required(text, "Name shown to people."),
  code: optional(text, "The vendor's own code of the alert."),
  grace_period: optional(text, "How long a soft failure lasts before it is a hard one, for example 2m30s. Default: 0."),
  description: optional(text, "Longer explanation."),
  troubleshooting: optional(listOf(text), "Steps that may help."),
  telemetry: optional(listOf(text), "Related telemetry attributes."),
  components: optional(listOf(text), "Related components of the device."),
  conditions: optional(listOf(text), "Conditions that may raise the alert."),
});

const luaOptions = object("runtime options", {
  dir: optional(text, "Directory with Lua files, main.lua among them. Not together with file."),
  file: optional(text, "A Lua script. Not together with dir."),
  rockspec: optional(text, "Name of a rockspec file. Not together with luarocks."),
  luarocks: optional(listOf(text), "Needed rocks, for example lua-cjson ~> 2.1. Not together with rockspec."),
  allow_dev_luarocks: optional(flag, "Allows development versions of rocks. Default: false."),
  amalg_mode: optional(oneOrMore(oneOf(["isolate", "nodebug"])), "How Lua files are put together."),
});

const runtime = object("runtime", {
  type: required(oneOf(["lua", "embedded"]), "lua runs a script here, embedded is a device that speaks for itself."),
  options: optional(luaOptions, "Options of the lua runtime."),
  requirements: optional(listOf(text), "What the blueprint needs and where it can run."),
});

const configurationParameter = object("configuration parameter", {
  display_name: required(text, "Name shown in the form."),
  description: optional(text, "Longer explanation."),
  type: required(oneOf(VALUE_TYPES), "Type of the value."),
  default: optional(scalar, "Used when the parameter is not set. Of the declared type."),
  required: optional(flag, "Whether the device needs it. Default: false."),
  sensitive: optional(flag, "Keeps the value out of answers. Default: false."),
  min: optional(number, "Smallest allowed number."),
  max: optional(number, "Largest allowed number."),
  enum: optional(plainEnum, "Allowed values."),
  format,
});

const configurationBucket = object("configuration bucket", {
  display_name: required(text, "Heading of the bucket."),
  description: optional(text, "Longer explanation."),
  access_level: optional(accessLevel, "Level needed to read and write the bucket. Default: user."),
  ui: optional(ui, "How the bucket is shown."),
  parameters: required(
    mapOf({ keys: "parameter name", pattern: idPattern }, configurationParameter),
    "Parameters by name.",
  ),
});

const unit = object("unit", {
  symbol: required(text, "How the unit is shown."),
  display_name: optional(text, "Name of the unit."),
  description: optional(text, "Longer explanation."),
});

const support = object("support", {
  url: optional(text, "Web page that helps."),
  email: optional(text, "Address that helps."),
});

/** The whole manifest language. */
export const MANIFEST = object("manifest", {
  blueprint_spec: required(oneOf(BLUEPRINT_SPECS), "Version of the manifest language."),
  implements: optional(profiles, "Device profiles that the blueprint implements."),
  implements_draft: optional(profiles, "Device profiles in the making that the blueprint implements; not checked."),
  category: optional(oneOf(CATEGORIES), "Groups devices on the page."),
  display_name: required({ kind: "text", maxLength: MAX_DISPLAY_NAME } as const, "Name of the blueprint."),
  description: optional(text, "What the blueprint integrates."),
  icon: optional(text, "Key of an icon."),
  properties: optional(
    mapOf({ keys: "property ID", pattern: idPattern }, property),
    "What rarely changes, such as a serial number.",
  ),
  telemetry: optional(
    mapOf({ keys: "telemetry attribute ID", pattern: idPattern }, telemetryAttribute),
    "Metrics and states, kept as time series.",
  ),
  command_groups: optional(
    mapOf({ keys: "command group ID", pattern: idPattern }, commandGroup),
    "Groups of commands. Every command is in one.",
  ),
  commands: optional(mapOf({ keys: "command ID", pattern: idPattern }, command), "The commands of the device."),
  alerts: optional(mapOf({ keys: "alert ID", pattern: alertIdPattern }, alert), "Alerts that the device may raise."),
  runtime: required(runtime, "What runs the integration."),
  author: optional(text, "User name of the author."),
  contributors: optional(listOf(text), "User names of contributors."),
  support: optional(support, "Where users find help."),
  license: optional(text, "Licence of the blueprint, for example MIT."),
  units: optional(mapOf({ keys: "unit name" }, unit), "Units that UCUM does not have, by name."),
  configuration: optional(
    mapOf({ keys: "configuration bucket ID", pattern: idPattern }, configurationBucket),
    "Settings of a device, in buckets.",
  ),
});

/** The language as JSON Schema, for editors. Rules between fields are the validator's own. */
export function renderJsonSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Blueprint manifest",
    ...jsonSchemaOf(MANIFEST),
  };
}
