import { itemAt } from "#core/item-at.ts";
import { CsvScan } from "#core/telemetry/read-csv.ts";

const NEWLINE = 10;

export type CsvPiece = {
  /** The header and some whole rows. */
  readonly bytes: Uint8Array;
  /** The line of the whole file that the first of these rows stands in, counted from 1. */
  readonly firstLine: number;
};

/** Cuts CSV into pieces of whole rows, each with the header on top and about so long. A line break inside quotes does not end a row. */
export async function* csvPieces(input: AsyncIterable<Uint8Array>, size: () => number): AsyncGenerator<CsvPiece> {
  let header: Uint8Array | undefined;
  let rest = Buffer.alloc(0);
  let line = 2;
  let isFirst = true;
  const scan = new CsvScan();
  /** How far `rest` is looked through, and where its last whole row ends. */
  let [seen, end] = [0, 0];
  const cut = (upTo: number): CsvPiece => {
    const rows = rest.subarray(0, upTo);
    const piece = { bytes: Buffer.concat([header ?? new Uint8Array(), rows]), firstLine: line };
    for (const byte of rows) if (byte === NEWLINE) line++;
    rest = rest.subarray(upTo);
    [seen, end] = [seen - upTo, 0];
    isFirst = false;
    return piece;
  };
  for await (const chunk of input) {
    rest = Buffer.concat([rest, chunk]);
    for (; seen < rest.length; seen++) {
      if (!scan.endsRow(itemAt(rest, seen))) continue;
      if (header === undefined) {
        header = Uint8Array.from(rest.subarray(0, seen + 1));
        rest = rest.subarray(seen + 1);
        [seen, end] = [-1, 0];
      } else end = seen + 1;
    }
    if (end >= size()) yield cut(end);
  }
  if (rest.length > 0 || (isFirst && header !== undefined)) yield cut(rest.length);
}
