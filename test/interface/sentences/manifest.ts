import { section } from "../sentence.ts";

export const manifest = section("manifest", "Blueprint manifest: the document", {
  "dot-keys": "A key that is a dot and word characters takes any value at every level, and means nothing.",
  "no-other-keys": "Every other key that is not listed is refused, at every level.",
  spec: "blueprint_spec is required and is device/3.0.",
  implements: "implements is a text or a list of texts.",
  "implements-draft": "implements_draft has the same shape as implements.",
  category: "category is one of eighteen words.",
  "display-name": "display_name is required and a text.",
  texts: "description, icon, author and license are texts and may be absent.",
  "ids-of-items": "Ids of properties, telemetry, command groups, commands and buckets match ^[A-Za-z][A-Za-z0-9_]*$.",
  "ids-of-alerts": "Ids of alerts match ^[A-Za-z0-9_-]+$.",
  "group-when-groups": "When groups are declared, every command sets its group.",
  "runtime-required": "runtime is required.",
  contributors: "contributors is a list of texts.",
  support: "support has url and email, both texts.",
  units: "units is a map of custom units; a unit requires symbol and may have display_name and description.",
  types: "Types are boolean, string, integer, float, array_of_strings and json.",
  "telemetry-types": "Types of telemetry are boolean, string, integer, float, array_of_strings and alerts.",
  "access-levels": "Access levels are readonly, user, owner, installer, vendor and system.",
  aliases: "aliases is a text or a list of texts of letters, digits and _, on properties, telemetry and commands.",
  "enum-forms": "enum is a list of texts or numbers, or an object of values with display_name and description.",
  "enum-values": "Values of an enum are of the declared type.",
  "enum-colors": "Items of a telemetry enum also take color: eight colours, each in five shades; others do not.",
});

export const items = section("items", "Blueprint manifest: properties and telemetry", {
  "property-required": "A property requires type and display_name.",
  "property-fields":
    "A property takes description, implements, aliases, unit, auto_scale, enum, access_level and json_schema.",
  "property-description": "The description of a property is empty when it is left out.",
  "property-unit": "unit is a UCUM unit or a key of units.",
  "allow-unit-c": "allow_unit_c lets C mean Coulomb without a warning.",
  "allow-unit-f": "allow_unit_f lets F mean Farad without a warning.",
  "property-json-schema": "json_schema is a JSON schema, or the path of a file that holds one.",
  "telemetry-required": "A telemetry attribute requires type and display_name.",
  "telemetry-fields": "A telemetry attribute takes the fields of a property except json_schema.",
  "telemetry-follows-type": "The device sends data according to the declared type.",
});

export const commandItems = section("command-items", "Blueprint manifest: commands and their arguments", {
  "group-fields": "A command group requires display_name and takes description and ui.icon.",
  "command-required": "A command requires group and display_name.",
  "group-exists": "group is a key of command_groups.",
  "command-fields": "A command takes description, implements, aliases, arguments and response.",
  "command-ui": "ui takes icon and quick_access.",
  "command-confirmation": "confirmation requires severity (info or warning) and title, and takes description.",
  "command-levels": "access_level is for running the command, and read_access_level for reading its executions.",
  "populate-values": "populate_values_command names a command.",
  "argument-names": "Names of arguments match ^[A-Za-z][A-Za-z0-9_]*$.",
  "argument-required": "An argument requires type and display_name.",
  "argument-fields":
    "An argument takes description, required, min, max, enum, format, json_schema, sensitive, default and unit.",
  "argument-default": "The default is used when the argument is absent.",
  "arguments-are-named": "The device gets the arguments by name.",
  "method-by-id": "The device implements a method named after the id of the command.",
  "response-required": "A declared response field requires type; it may have any name.",
  "response-fields":
    "A declared response field takes display_name, description, required, enum, format, json_schema and unit.",
});

export const otherItems = section("other-items", "Blueprint manifest: alerts, runtime, configuration", {
  "alert-required": "An alert requires severity and display_name.",
  "alert-severity": "severity is info, warning or error.",
  "alert-code": "code is a text.",
  "alert-grace-period": "grace_period is a duration such as 1m or 2m30s; empty means zero.",
  "alert-lists":
    "An alert takes description, and troubleshooting, telemetry, components and conditions as lists of texts.",
  "alerts-are-sent": "The device reports its active alerts by their ids in the alerts field of its telemetry.",
  "alert-undeclared": "An undeclared alert has severity error, and its id as display_name.",
  "runtime-type": "The type of the runtime is lua or embedded.",
  "runtime-requirements": "requirements is a list of texts.",
  "lua-dir": "dir is a folder of Lua files with main.lua as its entry.",
  "lua-file": "file is a Lua script.",
  "lua-dir-or-file": "dir and file exclude each other.",
  "lua-rocks": "rockspec is a file name, and luarocks is a list of dependencies.",
  "lua-rockspec-or-luarocks": "rockspec and luarocks exclude each other.",
  "lua-dev-rocks": "allow_dev_luarocks is a boolean.",
  "lua-amalg-mode": "amalg_mode is isolate or nodebug, or a list of them.",
  "bucket-required": "A configuration bucket requires display_name and parameters.",
  "bucket-fields": "A configuration bucket takes description, access_level and ui.icon.",
  "parameter-names": "Names of parameters match ^[A-Za-z][A-Za-z0-9_]*$.",
  "parameter-required": "A parameter requires display_name and type.",
  "parameter-fields": "A parameter takes description, required, sensitive, min, max, enum and format.",
  "parameter-default": "The default of a parameter is used when it is absent.",
});
