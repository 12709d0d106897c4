import type { TimeseriesQuestion } from "#client/resources.ts";
import { CsvReader } from "#core/telemetry/read-csv.ts";

/** Columns in the order in which they were asked for; undefined where a bucket has no value. */
export type Series = {
  readonly times: readonly number[];
  readonly columns: readonly (readonly (string | undefined)[])[];
};

type Ask = (question: TimeseriesQuestion) => Promise<AsyncIterable<Uint8Array>>;

/** Time series as columns; times are Unix milliseconds. */
export async function readSeries(ask: Ask, question: TimeseriesQuestion): Promise<Series> {
  const reader = new CsvReader();
  const decoder = new TextDecoder();
  const times: number[] = [];
  const columns: (string | undefined)[][] = [];
  let isHeader = true;
  const take = (cells: readonly string[]) => {
    if (isHeader) {
      isHeader = false;
      for (let index = 1; index < cells.length; index += 1) columns.push([]);
      return;
    }
    times.push(parseTime(cells[0] ?? ""));
    for (const [index, column] of columns.entries()) column.push(cells[index + 1] || undefined);
  };
  for await (const piece of await ask(question)) {
    for (const { cells } of reader.push(decoder.decode(piece, { stream: true }))) take(cells);
  }
  const last = reader.end();
  if (last !== undefined) take(last.cells);
  return { times, columns };
}

/** A row's time is Unix seconds or RFC 3339. */
function parseTime(text: string): number {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

export function asNumbers(column: readonly (string | undefined)[] | undefined): readonly (number | undefined)[] {
  return (column ?? []).map((cell) => (cell === undefined ? undefined : Number(cell)));
}
