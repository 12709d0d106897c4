// The same form as JSON text: `{"power": 5}`.
import { parseJson } from "#core/value/type-value.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { checkValues, type Problems } from "./draft.ts";
import type { FormField } from "./form-field.ts";

type Values = Readonly<Record<string, unknown>>;

export function renderJson(values: Values): string {
  return JSON.stringify(values, null, 2);
}

export type ReadJson =
  /** It is no JSON object. */
  | undefined
  | {
      readonly values: Values;
      readonly problems: Problems /** Names that no field has: a form could not show them. */;
      readonly unknown: readonly string[];
    };

/** An empty text means that nothing is given. */
export function readJson(fields: readonly FormField[], text: string, locale: Locale): ReadJson {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const values = parseJson(text.trim() === "" ? "{}" : text, isObject) as Values | undefined;
  if (values === undefined) return undefined;
  const unknown = Object.keys(values).filter((name) => !fields.some(({ id }) => id === name));
  return { values, problems: checkValues(fields, values, locale), unknown };
}
