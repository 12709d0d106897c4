// Time series of several attributes by one request. What the service refuses is reported for each; the others are read.
import { ApiError } from "#client/errors.ts";
import type { TimeseriesQuestion } from "#client/resources.ts";
import type { TimeseriesRows } from "#client/telemetry.ts";

export type Item = TimeseriesQuestion["telemetry"][number];
export type Settings = Omit<TimeseriesQuestion, "telemetry">;

export type Value = number | string | boolean;

/** The values of one column, in order of time. Times are Unix milliseconds. */
export type Points<Kind = Value> = { readonly times: readonly number[]; readonly values: readonly Kind[] };

export type Refusal = { readonly code: string; readonly message: string };

/** A column of values; `min_max` gives two. */
export type Answer = { readonly points: readonly Points[] } | { readonly refusal: Refusal };

export type Ask = (question: TimeseriesQuestion) => Promise<TimeseriesRows>;

/** The interface answers this many attributes at once. */
const AT_ONCE = 10;

/** Answers in the order of the items, by as many requests as they take. Throws when a request as a whole failed. */
export async function readItems(ask: Ask, settings: Settings, items: readonly Item[]): Promise<readonly Answer[]> {
  const parts: Promise<readonly Answer[]>[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE)
    parts.push(readAtOnce(ask, settings, items.slice(from, from + AT_ONCE)));
  return (await Promise.all(parts)).flat();
}

async function readAtOnce(ask: Ask, settings: Settings, items: readonly Item[]): Promise<readonly Answer[]> {
  const answers = new Map<Item, Answer>();
  let open = items;
  while (open.length > 0) {
    try {
      const rows = await ask({ ...settings, telemetry: open });
      for (const [index, points] of columnsOf(rows, open).entries()) {
        const item = open[index];
        if (item !== undefined) answers.set(item, { points });
      }
      open = [];
    } catch (error) {
      const refused = refusalsOf(error, open);
      if (refused.size > 0) {
        for (const [item, refusal] of refused) answers.set(item, { refusal });
        open = open.filter((item) => !refused.has(item));
      } else if (error instanceof ApiError && error.code === "storage_damaged" && open.length > 1) {
        // Damage concerns one series, and the error does not say at which place it was asked for.
        const alone = await Promise.all(open.map(async (item) => await readAtOnce(ask, settings, [item])));
        for (const [index, item] of open.entries()) answers.set(item, alone[index]?.[0] ?? { points: [] });
        open = [];
      } else if (error instanceof ApiError && error.code === "storage_damaged") {
        for (const item of open) answers.set(item, { refusal: { code: error.code, message: error.message } });
        open = [];
      } else throw error;
    }
  }
  return items.map((item) => answers.get(item) ?? { points: [] });
}

/** The items that the errors name by `/telemetry/<index>`. */
function refusalsOf(error: unknown, items: readonly Item[]): ReadonlyMap<Item, Refusal> {
  const refused = new Map<Item, Refusal>();
  if (!(error instanceof ApiError)) return refused;
  for (const { code, message, details } of error.errors) {
    const index = /^\/telemetry\/(\d+)/.exec(String(details?.["pointer"] ?? ""))?.[1];
    const item = index === undefined ? undefined : items[Number(index)];
    if (item !== undefined && !refused.has(item)) refused.set(item, { code, message });
  }
  return refused;
}

/** The columns of each item without the rows in which they have no value. Full columns share their times. */
function columnsOf({ rows }: TimeseriesRows, items: readonly Item[]): readonly (readonly Points[])[] {
  const all = rows.map((row) => Math.round(Number(row[0]) * 1000));
  let column = 0;
  return items.map(({ aggregation }) =>
    Array.from({ length: aggregation === "min_max" ? 2 : 1 }, () => {
      column += 1;
      return columnAt(column, rows, all);
    }),
  );
}

/** Plain loops: a chart of ten series has a hundred thousand values. */
function columnAt(column: number, rows: TimeseriesRows["rows"], all: readonly number[]): Points {
  const values: Value[] = [];
  /** Undefined while no row lacks a value. */
  let times: number[] | undefined;
  for (let place = 0; place < rows.length; place += 1) {
    const value = rows[place]?.[column];
    if (value === null || value === undefined) times ??= all.slice(0, place);
    else {
      values.push(value);
      times?.push(all[place] ?? 0);
    }
  }
  return { times: times ?? all, values };
}
