import { TELEMETRY_TYPES, VALUE_TYPES } from "./blueprint.ts";
import { flag, mapOf, object, oneOf, oneOrMore, optional, required, text } from "./shape.ts";

/** Known versions of the profile language. */
const PROFILE_SPECS = ["profile/1.0"] as const;

const idPattern = { regex: /^[A-Za-z][A-Za-z0-9_]*$/, words: "letters, digits and _, beginning with a letter" };
const profileIdPattern = {
  regex: /^[a-z0-9][a-z0-9_]*(?:\.[a-z0-9][a-z0-9_]*)*$/,
  words: "words of small letters, digits and _, separated by dots",
};

const fieldEnum = {
  kind: "enum",
  item: object("enum value", {
    display_name: optional(text, "Name shown instead of the value."),
    description: optional(text, "What the value means."),
  }),
} as const;

const fieldKeys = {
  display_name: optional(text, "Name of the field."),
  description: optional(text, "What a blueprint promises by it, signs and reference points above all."),
  unit: optional(text, "The blueprint may use any unit that can be converted to it."),
  enum: optional(fieldEnum, "The blueprint may use these values and no others."),
};

const property = object("profile property", { type: required(oneOf(VALUE_TYPES), "Type of the value."), ...fieldKeys });
const attribute = object("profile attribute", {
  type: required(oneOf(TELEMETRY_TYPES), "Type of the values."),
  ...fieldKeys,
});
const argument = object("profile argument", {
  type: required(oneOf(VALUE_TYPES), "Type of the value."),
  ...fieldKeys,
  required: optional(flag, "Callers of the profile always give it. Default: false."),
});

const command = object("profile command", {
  display_name: optional(text, "Name of the command."),
  description: optional(text, "What a blueprint promises by it."),
  arguments: optional(mapOf({ keys: "argument name", pattern: idPattern }, argument), "Arguments by name."),
  response: optional(mapOf({ keys: "response field" }, property), "Fields of a successful response by name."),
});

/** The profile language. A profile's id is not in it: it is the path of its file. */
export const PROFILE = object("profile", {
  blueprint_spec: optional(oneOf(PROFILE_SPECS), "Version of the profile language."),
  display_name: required(text, "Name of the profile."),
  description: optional(text, "What a device promises by it."),
  draft: optional(flag, "Whether it may still change. Default: false."),
  implements: optional(
    oneOrMore({ kind: "text", pattern: profileIdPattern } as const),
    "Profiles that this one includes.",
  ),
  properties: optional(mapOf({ keys: "property ID", pattern: idPattern }, property), "Properties by ID."),
  telemetry: optional(mapOf({ keys: "telemetry attribute ID", pattern: idPattern }, attribute), "Attributes by ID."),
  commands: optional(mapOf({ keys: "command ID", pattern: idPattern }, command), "Commands by ID."),
});

/** `energy/battery/power.yml` is `energy.battery.power`; undefined for what cannot be a profile's file. */
export function profileIdOf(path: string): string | undefined {
  const id = /^(.+)\.ya?ml$/.exec(path)?.[1]?.replaceAll("/", ".");
  return id !== undefined && profileIdPattern.regex.test(id) ? id : undefined;
}
