import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "#core/blueprint/profile.ts";
import { isObject, isTexts } from "./stored-json.ts";

/** Maps as lists of pairs, because names may be anything and their order counts. */
type Pairs<Value> = readonly (readonly [string, Value])[];
type StoredCommand = Omit<ProfileCommand, "arguments" | "response"> & {
  readonly arguments: Pairs<ProfileArgument>;
  readonly response: Pairs<ProfileField>;
};
type StoredProfile = Omit<Profile, "id" | "properties" | "telemetry" | "commands"> & {
  readonly properties: Pairs<ProfileField>;
  readonly telemetry: Pairs<ProfileField>;
  readonly commands: Pairs<StoredCommand>;
};

/** Equal profiles give equal texts. */
export function renderStoredProfile(profile: Profile): string {
  const { displayName, description, isDraft, properties, telemetry, commands } = profile;
  const stored: StoredProfile = {
    displayName,
    description,
    isDraft,
    implements: profile.implements,
    properties: [...properties],
    telemetry: [...telemetry],
    commands: [...commands].map(([id, command]) => [
      id,
      { ...command, arguments: [...command.arguments], response: [...command.response] },
    ]),
  };
  return JSON.stringify(stored);
}

export function isStoredProfile(value: unknown): value is StoredProfile {
  if (!isObject(value)) return false;
  const { description, isDraft, properties, telemetry, commands } = value;
  const isField = (field: unknown) => isObject(field) && typeof field["type"] === "string";
  const isCommand = (command: unknown) =>
    isObject(command) && isPairs(command["arguments"], isField) && isPairs(command["response"], isField);
  return (
    typeof description === "string" &&
    typeof isDraft === "boolean" &&
    isTexts(value["implements"]) &&
    isPairs(properties, isField) &&
    isPairs(telemetry, isField) &&
    isPairs(commands, isCommand)
  );
}

export function parseStoredProfile(id: string, stored: StoredProfile): Profile {
  return {
    ...stored,
    id,
    properties: new Map(stored.properties),
    telemetry: new Map(stored.telemetry),
    commands: new Map(
      stored.commands.map(([name, command]) => [
        name,
        { ...command, arguments: new Map(command.arguments), response: new Map(command.response) },
      ]),
    ),
  };
}

function isPairs(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === "string" && isRight(pair[1]))
  );
}
