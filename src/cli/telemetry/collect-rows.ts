import { CsvReader, type CsvRow } from "#core/telemetry/read-csv.ts";
import type { ShownColumn } from "./asked-columns.ts";

type Value = number | string | boolean | null;

export type Table = {
  /** Unix seconds, then a value for each column. */
  readonly rows: readonly (readonly [number, ...Value[]])[];
};

/** Reads a whole answer; cells become values of their column's type. */
export async function collectRows(answer: AsyncIterable<Uint8Array>, columns: readonly ShownColumn[]): Promise<Table> {
  const reader = new CsvReader();
  const decoder = new TextDecoder();
  const rows: [number, ...Value[]][] = [];
  let isHeader = true;
  const take = ({ cells, emptyTexts }: CsvRow) => {
    if (!isHeader) {
      const [ts = "", ...values] = cells;
      const read = (cell: string, i: number) => (emptyTexts?.has(i + 1) === true ? "" : readCell(cell, columns[i]));
      rows.push([Number(ts), ...values.map(read)]);
    }
    isHeader = false;
  };
  for await (const piece of answer) {
    for (const row of reader.push(decoder.decode(piece, { stream: true }))) take(row);
  }
  const last = reader.end();
  if (last !== undefined) take(last);
  return { rows };
}

function readCell(cell: string, column: ShownColumn | undefined): Value {
  if (cell === "") return null;
  const type = column?.type;
  if (column?.aggregation === "count" || type === "float" || type === "integer") return Number(cell);
  return type === "boolean" ? cell === "true" : cell;
}
