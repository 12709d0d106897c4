// Variables of a site as they are typed and shown. Pure.
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";

export type VariableValue = string | number | boolean;
export const TYPES = ["number", "text", "boolean"] as const;
export type VariableType = (typeof TYPES)[number];

const LONGEST = 1_000;

export const typeOf = (value: VariableValue): VariableType =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";

/** What a field begins with. */
export const draftOf = (value: VariableValue): string => String(value);

export type ReadValue = { readonly value: VariableValue } | { readonly problem: "wrongNumber" | "wrongText" };

/** A comma is a point: a form is not asked which language its writer thinks in. */
export function readValue(type: VariableType, draft: string): ReadValue {
  if (type === "boolean") return { value: draft === "true" };
  if (type === "text")
    return draft.length >= 1 && draft.length <= LONGEST ? { value: draft } : { problem: "wrongText" };
  const text = draft.trim().replace("−", "-").replace(",", ".");
  const value = Number(text);
  return text !== "" && Number.isFinite(value) ? { value } : { problem: "wrongNumber" };
}

export const isName = (name: string): boolean => VARIABLE_NAME.test(name);
