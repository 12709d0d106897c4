// Short names for parts of a rule by their content. After an edit they say which parts are still the same, wherever they stand now.
import { crc32 } from "#core/text/crc32.ts";

const known = new WeakMap<object, string>();

export function printOf(part: object): string {
  const before = known.get(part);
  if (before !== undefined) return before;
  // Texts become ASCII, and places are left out.
  const text = JSON.stringify(part, (key, value: unknown) =>
    key === "place" && typeof value === "string" && value.startsWith("/") ? undefined : value,
  );
  const print = `${crc32(encodeURI(text.toWellFormed())).toString(16)}-${text.length}`;
  known.set(part, print);
  return print;
}
