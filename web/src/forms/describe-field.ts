import type { Locale } from "#web/data/preferences.svelte.ts";
import type { FormField } from "./form-field.ts";

const WORDS = {
  en: {
    between: (min: string, max: string) => `${min} to ${max}`,
    atLeast: (min: string) => `at least ${min}`,
    atMost: (max: string) => `at most ${max}`,
    default: (value: string) => `default ${value}`,
    whole: "whole number",
    example: (text: string) => `for example ${text}`,
    yes: "yes",
    no: "no",
  },
  de: {
    between: (min: string, max: string) => `${min} bis ${max}`,
    atLeast: (min: string) => `mindestens ${min}`,
    atMost: (max: string) => `höchstens ${max}`,
    default: (value: string) => `Standard ${value}`,
    whole: "ganze Zahl",
    example: (text: string) => `zum Beispiel ${text}`,
    yes: "ja",
    no: "nein",
  },
} as const;

/** The rules of a field in short: `0 to 10 kW, default 5 kW`. Undefined when there are none. */
export function describeRules(field: FormField, locale: Locale): string | undefined {
  const words = WORDS[locale];
  // As it is typed: without marks between thousands.
  const write = (value: number) =>
    `${locale === "de" ? String(value).replace(".", ",") : value}${field.unit === undefined ? "" : ` ${field.unit}`}`;
  const isNumber = field.type === "integer" || field.type === "float";
  const rules = [
    field.type === "integer" && field.choices.length === 0 ? words.whole : undefined,
    isNumber ? rangeOf(field, words, write) : undefined,
    field.example === undefined ? undefined : words.example(field.example),
    field.default === undefined || field.sensitive ? undefined : words.default(writeDefault(field, locale, write)),
  ].filter((rule) => rule !== undefined);
  return rules.length === 0 ? undefined : rules.join(", ");
}

function rangeOf(
  { min, max }: FormField,
  words: (typeof WORDS)[Locale],
  write: (value: number) => string,
): string | undefined {
  if (min !== undefined && max !== undefined) return words.between(write(min), write(max));
  if (min !== undefined) return words.atLeast(write(min));
  return max === undefined ? undefined : words.atMost(write(max));
}

function writeDefault(field: FormField, locale: Locale, write: (value: number) => string): string {
  const { default: value, choices } = field;
  const choice = choices.find((one) => one.value === value);
  if (choice !== undefined) return choice.displayName;
  if (typeof value === "number") return write(value);
  if (typeof value === "boolean") return value ? WORDS[locale].yes : WORDS[locale].no;
  return typeof value === "string" ? value : JSON.stringify(value);
}
