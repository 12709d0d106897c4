// The form of a ready controller: what can be chosen, what is typed, and what is wrong with it. Pure.
import type { Controller, ControllerDiagnostic, ControllerParameter } from "#client/resources.ts";
import { findDevice, type RuleNames, wordOf } from "./rule-names.ts";

/** As it is typed, by parameter. */
export type Drafts = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, string | number | boolean | null>>;

type Option = { readonly value: string; readonly label: string; readonly isSuggested: boolean };

/** Suggested devices come first: those of an earlier profile before those of a later one, and these before categories. */
function rank({ suggests }: ControllerParameter, device: RuleNames["devices"][number]): number {
  if (suggests === null) return -1;
  const profile = suggests.profiles.findIndex((one) => device.profiles.includes(one));
  if (profile >= 0) return profile;
  const category = device.category === null ? -1 : suggests.categories.indexOf(device.category);
  return category < 0 ? -1 : suggests.profiles.length + category;
}

export function devicesFor(parameter: ControllerParameter, names: RuleNames): readonly Option[] {
  return names.devices
    .map((device) => ({ device, place: rank(parameter, device) }))
    .toSorted(
      (one, other) =>
        (one.place < 0 ? 1e6 : one.place) - (other.place < 0 ? 1e6 : other.place) ||
        one.device.name.localeCompare(other.device.name),
    )
    .map(({ device, place }) => ({ value: wordOf(device), label: device.name, isSuggested: place >= 0 }));
}

/** What can be chosen for a parameter; undefined where something is typed. */
export function optionsFor(
  parameter: ControllerParameter,
  drafts: Drafts,
  names: RuleNames,
): readonly Option[] | undefined {
  const plain = (list: readonly (readonly [string, string])[]) =>
    list.map(([value, label]) => ({ value, label, isSuggested: false }));
  const device = parameter.of === null ? undefined : findDevice(names, drafts[parameter.of] ?? "");
  switch (parameter.kind) {
    case "device":
      return devicesFor(parameter, names);
    case "attribute":
      return plain((device?.attributes ?? []).map(({ name, display_name }) => [name, display_name]));
    case "control":
      return plain(
        (device?.controls ?? []).map(({ name, display_name, unit }) => [
          name,
          unit === null ? display_name : `${display_name} (${unit})`,
        ]),
      );
    case "command":
      return plain((device?.commands ?? []).map(({ name, display_name }) => [name, display_name]));
    case "choice":
      return plain((parameter.choices ?? []).map((one) => [one, one]));
    case "calendar":
      return plain(names.calendars.map((one) => [one, one]));
    case "number":
    case "integer":
    case "duration":
    case "time":
    case "boolean":
    case "text":
    case "variable":
      return undefined;
  }
}

/** What a form begins with: what was given before, otherwise defaults and the one device that fits best. */
export function draftsOf({ parameters }: Controller, given: Values | undefined, names: RuleNames): Drafts {
  const drafts: Record<string, string> = Object.create(null);
  for (const parameter of parameters) {
    const { name, default: usual, kind } = parameter;
    const value = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined && value !== null) drafts[name] = String(value);
    else if (given === undefined && kind === "device")
      drafts[name] = devicesFor(parameter, names).find(({ isSuggested }) => isSuggested)?.value ?? "";
    else drafts[name] = given === undefined && usual !== null ? String(usual) : "";
  }
  // What belongs to a device is chosen with it where there is no choice.
  for (const parameter of parameters) {
    if (drafts[parameter.name] !== "" || parameter.of === null || !parameter.required) continue;
    const options = optionsFor(parameter, drafts, names) ?? [];
    if (options.length === 1 && options[0] !== undefined) drafts[parameter.name] = options[0].value;
  }
  return { ...drafts };
}

/** What is no number is sent as it is: the answer says what is wrong with all fields at once. */
export function valuesOf({ parameters }: Controller, drafts: Drafts): Values {
  const values: Record<string, string | number | boolean | null> = {};
  for (const { name, kind } of parameters) {
    const text = (drafts[name] ?? "").trim();
    if (text === "") continue;
    const number = Number(text.replace("−", "-").replace(",", "."));
    if ((kind === "number" || kind === "integer") && Number.isFinite(number)) values[name] = number;
    else if (kind === "boolean") values[name] = text === "true";
    else values[name] = text;
  }
  return values;
}

/** What is wrong, at its field; the empty name has what no field is the cause of. */
export function problemsByField(diagnostics: readonly ControllerDiagnostic[]): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { pointer, message } of diagnostics) {
    const name = pointer === "/slug" ? "/slug" : (/^\/parameters\/(.+)$/.exec(pointer)?.[1] ?? "");
    problems.set(name, problems.has(name) ? `${problems.get(name)} ${message}` : message);
  }
  return problems;
}

export function searchControllers(controllers: readonly Controller[], search: string): readonly Controller[] {
  const wanted = search.trim().toLowerCase();
  return controllers.filter(({ display_name, description }) =>
    `${display_name} ${description}`.toLowerCase().includes(wanted),
  );
}
