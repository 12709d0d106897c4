// Past values of several devices on one grid of times.
import type { TimeseriesQuestion } from "#client/resources.ts";
import { asNumbers, readSeries } from "./read-series.ts";

/** `integral` is value times hours, `delta` how much a counter rose. */
type Aggregation = "avg" | "integral" | "delta";
export type Wanted = { readonly device: string; readonly attribute: string; readonly aggregation: Aggregation };
export type Grid = { readonly from: number; readonly to: number; readonly bucketMs: number };
export type History = Grid & {
  readonly times: readonly number[];
  /** On the grid; undefined where a bucket has no value. Undefined as a whole when it was not asked for. */
  readonly column: (wanted: Wanted) => readonly (number | undefined)[] | undefined;
};

/** The interface answers this many attributes at once. */
const MOST_ATTRIBUTES = 10;

type Ask = (question: TimeseriesQuestion) => Promise<AsyncIterable<Uint8Array>>;

export async function readHistory(ask: Ask, wanted: readonly Wanted[], grid: Grid): Promise<History> {
  const length = Math.ceil((grid.to - grid.from) / grid.bucketMs);
  const columns = new Map<string, (number | undefined)[]>();
  const questions: Wanted[][] = [];
  for (const one of unique(wanted)) {
    const last = questions.at(-1);
    if (last === undefined || last.length === MOST_ATTRIBUTES) questions.push([one]);
    else last.push(one);
  }
  await Promise.all(
    questions.map(async (telemetry) => {
      const { times, columns: found } = await readSeries(ask, {
        from: grid.from / 1000,
        to: grid.to / 1000,
        granularity: `${grid.bucketMs / 1000}s`,
        telemetry,
      });
      for (const [index, one] of telemetry.entries()) {
        const column = new Array<number | undefined>(length).fill(undefined);
        for (const [row, value] of asNumbers(found[index]).entries()) {
          column[Math.floor(((times[row] ?? 0) - grid.from) / grid.bucketMs)] = value;
        }
        columns.set(keyOf(one), column);
      }
    }),
  );
  return {
    ...grid,
    times: Array.from({ length }, (_, index) => grid.from + index * grid.bucketMs),
    column: (one) => columns.get(keyOf(one)),
  };
}

const keyOf = ({ device, attribute, aggregation }: Wanted) => `${device} ${attribute} ${aggregation}`;

function unique(wanted: readonly Wanted[]): Iterable<Wanted> {
  return new Map(wanted.map((one) => [keyOf(one), one])).values();
}
