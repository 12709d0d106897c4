// What stands in the controls of a form, and the values that it means. The rules are those of the service.
import { ApiError } from "#client/errors.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import { typeValue } from "#core/value/type-value.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { describeProblem } from "./describe-problem.ts";
import type { FormField } from "./form-field.ts";

type Values = Readonly<Record<string, unknown>>;

/** The text of each control; a list has several. An empty one is not given. */
export type Draft = Readonly<Record<string, string | readonly string[]>>;

/** By the id of the field. */
export type Problems = ReadonlyMap<string, string>;

export type ReadForm = {
  /** Only what was given: the service fills in defaults. */
  readonly values: Values;
  readonly problems: Problems;
};

/** The controls filled with values; a field without a value shows its default. */
export function draftOf(fields: readonly FormField[], values: Values, locale: Locale): Draft {
  const draft: Record<string, string | readonly string[]> = Object.create(null);
  for (const field of fields) {
    const given = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
    draft[field.id] = textOf(field, given ?? field.default, locale);
  }
  return draft;
}

function textOf({ type, control }: FormField, value: unknown, locale: Locale): string | readonly string[] {
  if (type === "array_of_strings") return Array.isArray(value) ? value.map(String) : [];
  if (value === undefined || value === null) return "";
  if (control === "json") return JSON.stringify(value, null, 2);
  if (typeof value === "number") return locale === "de" ? String(value).replace(".", ",") : String(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Reading = {
  readonly locale: Locale;
  /** Secret values that are stored already: an empty control leaves them as they are. */
  readonly stored?: ReadonlySet<string>;
};

/** The values that a form means, and everything that is wrong with them. */
export function readDraft(fields: readonly FormField[], draft: Draft, { locale, stored }: Reading): ReadForm {
  const values: Record<string, unknown> = Object.create(null);
  const problems = new Map<string, string>();
  const checked = new Map<string, FormField>();
  for (const field of fields) {
    const value = readValue(field, draft[field.id] ?? "", locale);
    if (value === NO_JSON) problems.set(field.id, describeProblem(NO_JSON_PROBLEM, locale));
    else if (value !== undefined) values[field.id] = value;
    const isKept = value === undefined && stored?.has(field.id);
    if (value !== NO_JSON && !isKept) checked.set(field.id, field);
  }
  for (const [name, message] of checkValues([...checked.values()], values, locale)) problems.set(name, message);
  return { values, problems };
}

/** Everything that the service would say about the values, except schemas of JSON, which only it can check. */
export function checkValues(fields: readonly FormField[], values: Values, locale: Locale): Problems {
  const declared = new Map(fields.map((field) => [field.id, field]));
  const { problems } = checkInputs(declared, values, () => undefined);
  return new Map(problems.map(({ name, message }) => [name, describeProblem(withoutName(message, name), locale)]));
}

const NO_JSON = Symbol("no JSON");
const NO_JSON_PROBLEM = "must be JSON; a text needs quotes";

function readValue(field: FormField, text: string | readonly string[], locale: Locale): unknown {
  if (typeof text !== "string") {
    const items = text.map((one) => one.trim()).filter((one) => one !== "");
    return items.length === 0 && !field.required ? undefined : items;
  }
  if (text.trim() === "") return undefined;
  const choice = field.choices.find((one) => String(one.value) === text);
  if (choice !== undefined) return choice.value;
  if (field.type === "json") return typeValue("json", text) ?? NO_JSON;
  const isNumber = field.type === "integer" || field.type === "float";
  return typeValue(field.type, isNumber && locale === "de" ? withPoint(text) : text);
}

/** Only where people write decimals with a comma; elsewhere a comma is not guessed at. */
function withPoint(text: string): string {
  return /^\s*[+-]?\d*,\d+\s*$/.test(text) ? text.replace(",", ".") : text;
}

function withoutName(message: string, name: string): string {
  return message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
}

/**
 * What a refusal says about single fields, by the place that it names: `/arguments/power`. Undefined when it says something
 * else, too.
 */
export function problemsOfAnswer(
  error: unknown,
  { place, fields, locale }: { readonly place: string; readonly fields: readonly FormField[]; readonly locale: Locale },
): Problems | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const problems = new Map<string, string>();
  for (const { message, details } of error.errors) {
    const pointer = details?.["pointer"];
    const name = typeof pointer === "string" && pointer.startsWith(place) ? pointer.slice(place.length) : "";
    if (!fields.some(({ id }) => id === name)) return undefined;
    problems.set(name, describeProblem(withoutName(message, name), locale));
  }
  return problems;
}
