import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "#core/blueprint/profile.ts";
import type { ControlCall, DeclaredControl, DeclaredFallback } from "#core/control/declared-control.ts";
import { isObject, isTexts } from "./stored-json.ts";

/** Maps as lists of pairs, because names may be anything and their order counts. */
type Pairs<Value> = readonly (readonly [string, Value])[];
type StoredCommand = Omit<ProfileCommand, "arguments" | "response"> & {
  readonly arguments: Pairs<ProfileArgument>;
  readonly response: Pairs<ProfileField>;
};
type StoredProfile = Omit<Profile, "id" | "properties" | "telemetry" | "commands" | "controls"> & {
  readonly properties: Pairs<ProfileField>;
  readonly telemetry: Pairs<ProfileField>;
  readonly commands: Pairs<StoredCommand>;
  /** Absent: it has none. */
  readonly controls?: Pairs<StoredControl>;
};
type StoredControl = Omit<DeclaredControl, "arguments" | "prepare" | "fallback"> & {
  readonly arguments: Pairs<unknown>;
  readonly prepare?: StoredCall | undefined;
  readonly fallback?: StoredFallback | undefined;
};
type StoredCall = { readonly command: string; readonly arguments: Pairs<unknown> };
type StoredFallback =
  | Extract<DeclaredFallback, { kind: "value" }>
  | ({ readonly kind: "command"; readonly value?: DeclaredFallback["value"] } & StoredCall);

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
    ...(profile.controls.size > 0 && { controls: [...profile.controls].map(([id, one]) => [id, storedControl(one)]) }),
  };
  return JSON.stringify(stored);
}

function storedControl(control: DeclaredControl): StoredControl {
  const { prepare, fallback } = control;
  const call = (one: ControlCall) => ({ command: one.command, arguments: [...one.arguments] });
  return {
    ...control,
    arguments: [...control.arguments],
    prepare: prepare && call(prepare),
    fallback: fallback?.kind === "command" ? { kind: "command", ...call(fallback), value: fallback.value } : fallback,
  };
}

function parseControl(control: StoredControl): DeclaredControl {
  const { prepare, fallback } = control;
  const call = (one: StoredCall) => ({ command: one.command, arguments: new Map(one.arguments) });
  return {
    // What is undefined is absent in JSON.
    ...NOTHING_SAID,
    ...control,
    arguments: new Map(control.arguments),
    prepare: prepare && call(prepare),
    fallback: fallback?.kind === "command" ? { kind: "command", ...call(fallback), value: fallback.value } : fallback,
  };
}

const NOTHING_SAID = {
  displayName: undefined,
  reads: undefined,
  unit: undefined,
  min: undefined,
  max: undefined,
  step: undefined,
  refreshMs: undefined,
  tolerance: undefined,
  ramp: undefined,
};

export function isStoredProfile(value: unknown): value is StoredProfile {
  if (!isObject(value)) return false;
  const { description, isDraft, properties, telemetry, commands, controls } = value;
  const isField = (field: unknown) => isObject(field) && typeof field["type"] === "string";
  const isCommand = (command: unknown) =>
    isObject(command) && isPairs(command["arguments"], isField) && isPairs(command["response"], isField);
  const isCall = (call: unknown) =>
    isObject(call) && (call["kind"] === "value" || isPairs(call["arguments"], () => true));
  const isControl = (control: unknown) =>
    isObject(control) &&
    typeof control["command"] === "string" &&
    typeof control["argument"] === "string" &&
    isPairs(control["arguments"], () => true) &&
    (control["prepare"] === undefined || isCall(control["prepare"])) &&
    (control["fallback"] === undefined || isCall(control["fallback"]));
  return (
    typeof description === "string" &&
    typeof isDraft === "boolean" &&
    isTexts(value["implements"]) &&
    isPairs(properties, isField) &&
    isPairs(telemetry, isField) &&
    isPairs(commands, isCommand) &&
    (controls === undefined || isPairs(controls, isControl))
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
    controls: new Map((stored.controls ?? []).map(([name, control]) => [name, parseControl(control)])),
  };
}

function isPairs(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && typeof pair[0] === "string" && isRight(pair[1]))
  );
}
