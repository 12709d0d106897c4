import { type QueryChange, renderQuery } from "./paths.ts";

/** The filters of a screen, as they stand in the address. */
export type Query = {
  readonly text: (name: string) => string | undefined;
  /** Several values, joined by commas in the address. */
  readonly list: (name: string) => readonly string[];
  /** Undefined when it is no number. */
  readonly number: (name: string) => number | undefined;
  readonly flag: (name: string) => boolean;
  /** The query with some values replaced; undefined removes one. */
  readonly with: (change: QueryChange) => string;
};

export function parseQuery(search: string): Query {
  const given = new URLSearchParams(search);
  const text = (name: string) => given.get(name) || undefined;
  return {
    text,
    list: (name) =>
      text(name)
        ?.split(",")
        .filter((item) => item !== "") ?? [],
    number: (name) => {
      const value = Number(text(name) ?? "no number");
      return Number.isFinite(value) ? value : undefined;
    },
    flag: (name) => text(name) === "true",
    with: (change) => renderQuery({ ...Object.fromEntries(given), ...change }),
  };
}
