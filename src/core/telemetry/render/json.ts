// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";
import { CsvBytes } from "./csv-bytes.ts";
import type { Renderer } from "./renderer.ts";

interface JsonSettings {
  /** What stands before the rows and behind them. */
  readonly before: string;
  readonly behind: string;
}

interface JsonLinesSettings {
  /** The name of each column. */
  readonly names: readonly string[];
}

/** Used within a call only, so that all answers of a thread share its memory. */
const json = new CsvBytes();

/** Each row is an array: the time in seconds, then a value per column, null where there is none. */
export function jsonRenderer({ before, behind }: JsonSettings): Renderer {
  let isBegun = false;
  let isFirstRow = true;
  return {
    render(block, isLast) {
      json.clear();
      if (!isBegun) json.plain(before);
      isBegun = true;
      forEachRow(block, (time, row, isWhole) => {
        json.plain(isFirstRow ? "\n[" : ",\n[");
        isFirstRow = false;
        json.row(time, isWhole);
        for (const column of block.columns) {
          json.comma();
          if (column.presence[row] === 1) writeValue(column, row);
          else json.plain("null");
        }
        json.plain("]");
      });
      if (isLast) json.plain(behind);
      return json.take();
    },
  };
}

/** A line per row: an object with the time and the values by the names of their columns, without those that are absent. */
export function jsonLinesRenderer({ names }: JsonLinesSettings): Renderer {
  const keys = names.map((name) => `,${JSON.stringify(name)}:`);
  return {
    render(block) {
      json.clear();
      forEachRow(block, (time, row, isWhole) => {
        json.plain('{"ts":');
        json.row(time, isWhole);
        for (const [i, column] of block.columns.entries()) {
          if (column.presence[row] !== 1) continue;
          json.plain(keys[i] ?? "");
          writeValue(column, row);
        }
        json.plain("}\n");
      });
      return json.take();
    },
  };
}

function forEachRow(
  { count, times, timeUnitMs, repeats, stepMs }: RowBlock,
  write: (time: number, row: number, isWhole: boolean) => void,
): void {
  const isWhole = timeUnitMs % 1_000 === 0;
  for (let row = 0; row < count; row++) {
    const time = times[row] ?? 0;
    const more = repeats[row] ?? 0;
    for (let i = 0; i <= more; i++) write(time + i * stepMs, row, isWhole);
  }
}

/** JSON has no infinite numbers: they are null. */
function writeValue(column: BlockColumn, row: number): void {
  if (column.kind === "number") {
    const value = column.values[row] ?? 0;
    if (Number.isFinite(value)) json.number(value);
    else json.plain("null");
  } else if (column.kind === "boolean") json.plain(column.values[row] === 1 ? "true" : "false");
  else json.plain(JSON.stringify(column.values[row] ?? ""));
}
