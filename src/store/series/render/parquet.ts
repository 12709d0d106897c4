// Rows as a Parquet file: row groups as rows come, the description of all of them at the end.

import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { itemAt } from "#core/item-at.ts";
import type { Renderer } from "#core/telemetry/render/renderer.ts";
import type { ParquetSettings } from "#core/telemetry/render/renderers.ts";
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";

/** Cells of a row group: some megabytes, whatever the number of columns. */
const GROUP_CELLS = 256 * 1024;
const LEAST_ROWS = 1_024;

export function parquetRenderer({ columns, notes }: ParquetSettings): Renderer {
  const bytes = new TakenBytes();
  const kvMetadata = Object.entries(notes).map(([key, value]) => ({ key, value }));
  const file = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), kvMetadata });
  const room = Math.max(LEAST_ROWS, Math.floor(GROUP_CELLS / (columns.length + 1)));
  const times: bigint[] = [];
  const cells = columns.map((): (number | boolean | string | null)[] => []);
  const writeGroup = () => {
    if (times.length === 0) return;
    const data = columns.map(({ name }, i) => ({ name, data: cells[i] ?? [] }));
    const columnData = [{ name: "ts", data: times, encoding: "DELTA_BINARY_PACKED" as const }, ...data];
    // Without a flush of its own the writer works at once.
    void file.write({ columnData, rowGroupSize: times.length });
    times.length = 0;
    for (const column of cells) column.length = 0;
  };
  const add = (block: RowBlock) => {
    for (let row = 0; row < block.count; row++) {
      const more = itemAt(block.repeats, row);
      for (let i = 0; i <= more; i++) {
        times.push(BigInt(itemAt(block.times, row) + i * block.stepMs));
        for (const [place, column] of block.columns.entries()) cells[place]?.push(cellOf(column, row));
        if (times.length >= room) writeGroup();
      }
    }
  };
  return {
    render(block, isLast) {
      add(block);
      if (isLast) {
        writeGroup();
        void file.finish();
      }
      return bytes.take();
    },
  };
}

function cellOf(column: BlockColumn, row: number): number | boolean | string | null {
  if (column.presence[row] !== 1) return null;
  if (column.kind === "boolean") return column.values[row] === 1;
  return column.values[row] ?? null;
}

/** Moments in UTC, numbers as doubles, and everything may be absent. */
function schemaOf(columns: ParquetSettings["columns"]): SchemaElement[] {
  const time: SchemaElement = {
    name: "ts",
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    repetition_type: "REQUIRED",
  };
  const others = columns.map(({ name, kind }): SchemaElement => {
    const repetition_type = "OPTIONAL";
    if (kind === "number") return { name, type: "DOUBLE", repetition_type };
    if (kind === "boolean") return { name, type: "BOOLEAN", repetition_type };
    return { name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type };
  });
  return [{ name: "root", num_children: columns.length + 1 }, time, ...others];
}

/** Gives away what was written so far; places in the file go on counting. */
class TakenBytes extends ByteWriter {
  take(): Uint8Array {
    const taken = this.getBytes().slice();
    this.index = 0;
    return taken;
  }
}
