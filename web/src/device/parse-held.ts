import type { Attribute } from "#web/data/manifest.ts";

/** A typed text as a value of the attribute's type; undefined when it is none. */
export function parseHeld({ type, enum: values }: Pick<Attribute, "type" | "enum">, text: string): unknown {
  const known = values?.find(({ value }) => String(value) === text)?.value;
  if (known !== undefined && type !== "array_of_strings") return known;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (type === "float" || type === "integer") {
    const value = Number(text.trim().replace(",", "."));
    if (text.trim() === "" || !Number.isFinite(value)) return undefined;
    return type === "integer" && !Number.isInteger(value) ? undefined : value;
  }
  if (type === "array_of_strings")
    return text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
  return text;
}
