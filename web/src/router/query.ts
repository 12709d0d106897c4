import { type QueryChange, renderQuery } from "./paths.ts";

/** The filters of a screen, as they stand in the address. */
export type Query = {
  readonly text: (name: string) => string | undefined;
  /** Several values, joined by commas in the address. */
  readonly list: (name: string) => readonly string[];
  /** Undefined when it is no number. */
  readonly number: (name: string) => number | undefined;
  /** Undefined when it is no time. */
  readonly moment: (name: string) => string | undefined;
  /** Those of the known values that are listed; undefined when there is none. */
  readonly choice: <Value extends string>(name: string, known: readonly Value[]) => readonly Value[] | undefined;
  readonly flag: (name: string) => boolean;
  /** The query with some values replaced; undefined removes one. */
  readonly with: (change: QueryChange) => string;
};

export function parseQuery(search: string): Query {
  const given = new URLSearchParams(search);
  const text = (name: string) => given.get(name) || undefined;
  const list = (name: string) =>
    text(name)
      ?.split(",")
      .filter((item) => item !== "") ?? [];
  return {
    text,
    list,
    number: (name) => {
      const value = Number(text(name) ?? "no number");
      return Number.isFinite(value) ? value : undefined;
    },
    moment: (name) => {
      const value = text(name);
      return value !== undefined && Number.isFinite(Date.parse(value)) ? value : undefined;
    },
    choice: (name, known) => {
      const chosen = known.filter((value) => list(name).includes(value));
      return chosen.length === 0 ? undefined : chosen;
    },
    flag: (name) => text(name) === "true",
    with: (change) => renderQuery({ ...Object.fromEntries(given), ...change }),
  };
}
