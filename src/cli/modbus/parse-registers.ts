import { UsageError } from "#cli/usage-error.ts";

interface RegisterRange {
  readonly first: number;
  readonly last: number;
}

const LAST = 65_535;

/** `40`, `0x28` or `40-49`. */
export function parseRange(text: string, most = LAST): RegisterRange {
  const [, low, high] = /^(\d{1,5}|0x[\da-f]{1,4})(?:-(\d{1,5}|0x[\da-f]{1,4}))?$/i.exec(text) ?? [];
  const [first, last] = [Number(low), Number(high ?? low)];
  if (low === undefined || first > last || last > most)
    throw new UsageError(`"${text}" is no number or range from 0 to ${most}, such as 40 or 40-49`);
  return { first, last };
}

/** `1-10,247`: each number once, in order. */
export function parseNumbers(text: string, most: number): readonly number[] {
  const found = text.split(",").flatMap((part) => {
    const { first, last } = parseRange(part.trim(), most);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
  return [...new Set(found)].sort((a, b) => a - b);
}
