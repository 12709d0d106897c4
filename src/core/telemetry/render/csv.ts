// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";
import { CsvBytes } from "./csv-bytes.ts";
import type { Renderer } from "./renderer.ts";

interface CsvSettings {
  /** The first line, with its line feed; may be empty. */
  readonly header: string;
}

/** Used within a call only, so that all answers of a thread share its memory. */
const csv = new CsvBytes();

/** A line per row: the time in seconds, then a cell per column, empty where there is no value. */
export function csvRenderer({ header }: CsvSettings): Renderer {
  let isBegun = false;
  return {
    render(block) {
      csv.clear();
      if (!isBegun) csv.plain(header);
      isBegun = true;
      writeRows(block);
      return csv.take();
    },
  };
}

function writeRows({ count, times, timeUnitMs, repeats, stepMs, columns }: RowBlock): void {
  const isWhole = timeUnitMs % 1_000 === 0;
  for (let row = 0; row < count; row++) {
    csv.row(times[row] ?? 0, isWhole);
    for (const column of columns) {
      csv.comma();
      if (column.presence[row] === 1) writeCell(column, row);
    }
    csv.newline();
    const more = repeats[row] ?? 0;
    if (more > 0) csv.repeat(stepMs, more);
  }
}

function writeCell(column: BlockColumn, row: number): void {
  if (column.kind === "number") csv.number(column.values[row] ?? 0);
  else if (column.kind === "boolean") csv.text(column.values[row] === 1 ? "true" : "false");
  else csv.text(column.values[row] ?? "");
}
