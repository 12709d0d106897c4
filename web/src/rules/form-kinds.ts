// What a rule in YAML is made of, as forms: which fields a condition, a moment or an action has, and which parts of a text they can
// show. Pure. What is not listed here stays text.
import type { Json, JsonObject } from "./rule-tools.ts";

type FieldKind =
  | "device"
  | "attribute"
  | "control"
  | "command"
  | "alert"
  | "variable"
  | "calendar"
  | "compared"
  | "amount"
  | "duration"
  | "dayTime"
  | "days"
  | "choice"
  | "flag"
  | "text"
  | "value"
  | "number"
  | "limit";

export type FormField = {
  readonly key: string;
  readonly kind: FieldKind;
  readonly isNeeded?: boolean;
  readonly choices?: readonly string[];
};

export type PartKind = {
  readonly id: string;
  /** The key by which it is known. */
  readonly key: string;
  readonly fields: readonly FormField[];
  /** Conditions inside, below `key`. */
  readonly inner?: "list" | "one";
};

const needed = (key: string, kind: FieldKind, choices?: readonly string[]): FormField => ({
  key,
  kind,
  isNeeded: true,
  ...(choices !== undefined && { choices }),
});
const may = (key: string, kind: FieldKind, choices?: readonly string[]): FormField => ({
  key,
  kind,
  ...(choices !== undefined && { choices }),
});

export const COMPARISONS = ["above", "below", "between", "equals", "differs"] as const;
const COMPARED = [needed("compared", "compared"), may("hysteresis", "number")];
const DEVICE = needed("device", "device");
const HOLDERS = ["person", "rule", "plan", "grid", "interlock", "default", "nobody"];

const TARIFF = needed("tariff", "choice", ["import", "export"]);

const hoursOf = (key: string): readonly FormField[] => [
  TARIFF,
  needed(key, "duration"),
  needed("before", "dayTime"),
  may("from", "dayTime"),
  may("unbroken", "flag"),
];

/** The more special one first, as the language itself decides. */
const CONDITIONS: readonly PartKind[] = [
  { id: "all", key: "all", fields: [], inner: "list" },
  { id: "any", key: "any", fields: [], inner: "list" },
  { id: "not", key: "not", fields: [], inner: "one" },
  {
    id: "stale",
    key: "stale_for",
    fields: [DEVICE, needed("attribute", "attribute"), needed("stale_for", "duration")],
  },
  {
    id: "holder",
    key: "held_by",
    fields: [DEVICE, needed("control", "control"), needed("held_by", "choice", HOLDERS)],
  },
  { id: "cheapest", key: "cheapest", fields: hoursOf("cheapest") },
  { id: "dearest", key: "dearest", fields: hoursOf("dearest") },
  { id: "tariff", key: "tariff", fields: [TARIFF, ...COMPARED] },
  { id: "calendar", key: "calendar", fields: [needed("calendar", "calendar"), may("is", "choice", ["on", "off"])] },
  {
    id: "value",
    key: "attribute",
    fields: [
      DEVICE,
      needed("attribute", "attribute"),
      ...COMPARED,
      may("unit", "text"),
      may("max_age", "duration"),
      may("average", "duration"),
      may("change", "duration"),
    ],
  },
  { id: "control", key: "control", fields: [DEVICE, needed("control", "control"), ...COMPARED] },
  { id: "alert", key: "alert", fields: [DEVICE, needed("alert", "alert")] },
  { id: "online", key: "is", fields: [DEVICE, needed("is", "choice", ["online", "offline"])] },
  { id: "variable", key: "variable", fields: [needed("variable", "variable"), ...COMPARED] },
  { id: "time", key: "from", fields: [needed("from", "dayTime"), needed("to", "dayTime"), may("days", "days")] },
];

const MOMENTS: readonly PartKind[] = [
  {
    id: "ended",
    key: "ended",
    fields: [DEVICE, may("command", "command"), needed("ended", "choice", ["success", "error", "any"])],
  },
  { id: "at", key: "at", fields: [needed("at", "dayTime"), may("days", "days")] },
  { id: "cron", key: "cron", fields: [needed("cron", "text")] },
  { id: "every", key: "every", fields: [needed("every", "duration")] },
];

const ACTIONS: readonly PartKind[] = [
  {
    id: "claim",
    key: "claim",
    fields: [
      DEVICE,
      needed("claim", "control"),
      needed("limit", "limit"),
      may("hold", "duration"),
      may("lease", "duration"),
      may("reason", "text"),
    ],
  },
  { id: "execute", key: "execute", fields: [DEVICE, needed("execute", "command")] },
  {
    id: "notify",
    key: "notify",
    fields: [needed("notify", "text"), may("title", "text"), may("severity", "choice", ["info", "warning", "error"])],
  },
  { id: "set", key: "set", fields: [needed("set", "variable"), needed("to", "value")] },
  { id: "wait", key: "wait", fields: [needed("wait", "duration")] },
];

export const LIMITS = ["target", "min", "max"] as const;

export type Section = "when" | "if" | "then" | "else";
export const SECTIONS: readonly Section[] = ["when", "if", "then", "else"];

export const kindsOf = (section: Section): readonly PartKind[] =>
  section === "when" ? [...MOMENTS, ...CONDITIONS] : section === "if" ? CONDITIONS : ACTIONS;

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands below a section: one thing stands for a list of one. */
export const itemsOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value as Json];

type Path = readonly (string | number)[];

/** Where an item of a section is. One thing that stands for a list has no index. */
export const pathOf = (section: Path, value: Json | undefined, index: number): Path =>
  Array.isArray(value) ? [...section, index] : section;

/** The kind of an item, if the form can show all of it. */
export function kindOfItem(item: Json, kinds: readonly PartKind[]): PartKind | undefined {
  if (!isObject(item)) return undefined;
  const kind = kinds.find(({ key }) => Object.hasOwn(item, key));
  if (kind === undefined) return undefined;
  const keys = new Set<string>(kind.fields.flatMap(({ key, kind: field }) => keysOf(key, field)));
  if (kind.inner !== undefined) keys.add(kind.key);
  if (!Object.keys(item).every((key) => keys.has(key))) return undefined;
  return kind.fields.every((field) => isShown(field, item)) ? kind : undefined;
}

const keysOf = (key: string, kind: FieldKind): readonly string[] =>
  kind === "compared" ? COMPARISONS : kind === "limit" ? LIMITS : [key];

const isPlain = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value !== "object";

function isShown({ key, kind }: FormField, item: JsonObject): boolean {
  if (kind === "compared") {
    const words = COMPARISONS.filter((word) => Object.hasOwn(item, word));
    const [word] = words;
    if (words.length > 1) return false;
    if (word === undefined) return true;
    const value = item[word];
    if (word === "between")
      return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "number");
    if (word === "equals" || word === "differs")
      return isPlain(value) || (Array.isArray(value) && value.every((one) => isPlain(one)));
    return isAmount(value);
  }
  if (kind === "limit") {
    const words = LIMITS.filter((word) => Object.hasOwn(item, word));
    return words.length <= 1 && (words[0] === undefined || isAmount(item[words[0]]));
  }
  if (kind === "days")
    return isPlain(item[key]) || (Array.isArray(item[key]) && item[key].every((one) => isPlain(one)));
  return kind === "value" ? isAmount(item[key]) : isPlain(item[key]);
}

const COMPUTED = new Set([
  "tariff",
  "variable",
  "device",
  "attribute",
  "times",
  "plus",
  "step",
  "min",
  "max",
  "average",
  "change",
]);

/** A number, or one that is computed from a variable or a value. */
function isAmount(value: Json | undefined): boolean {
  return (
    isPlain(value) ||
    (isObject(value) && Object.entries(value).every(([key, one]) => COMPUTED.has(key) && isPlain(one)))
  );
}

/** What a new item begins with. What people have to choose is empty, and the checks say so. */
export function newItem(kind: PartKind, device: string | undefined): JsonObject {
  if (kind.inner === "list") return { [kind.key]: [] };
  if (kind.inner === "one") return { [kind.key]: { variable: "", equals: true } };
  const item: Record<string, Json> = {};
  for (const { key, kind: field, isNeeded, choices } of kind.fields) {
    if (isNeeded !== true) continue;
    if (field === "compared") item["above"] = 0;
    else if (field === "limit") item["target"] = 0;
    else if (field === "device") item[key] = device ?? "";
    else if (field === "choice") item[key] = choices?.[0] ?? "";
    else if (field === "duration") item[key] = key === "cheapest" || key === "dearest" ? "4h" : "5m";
    else if (field === "dayTime")
      item[key] = key === "to" || key === "before" ? "06:00" : key === "from" ? "22:00" : "07:30";
    else if (field === "value") item[key] = true;
    else item[key] = key === "cron" ? "30 7 * * 1-5" : "";
  }
  return item;
}

/** What is typed as a number, true or false is one; a comma is a point. Otherwise it is a text. */
export function readTyped(text: string): string | number | boolean {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  const number = Number(trimmed.replace("−", "-").replace(",", "."));
  return trimmed !== "" && /^[-−]?[\d.,]/.test(trimmed) && Number.isFinite(number) ? number : text;
}

/** A list of values that are typed with commas between them. */
export function readList(text: string): readonly (string | number | boolean)[] | string | number | boolean {
  const parts = text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.length > 1 ? parts.map(readTyped) : readTyped(parts[0] ?? "");
}
