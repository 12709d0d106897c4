import { UsageError } from "#cli/usage-error.ts";
import { CsvReader } from "#core/telemetry/read-csv.ts";

interface Mapping {
  /** Name or number of a column. */
  readonly time: string;
  readonly price: string;
  readonly scale: number;
  readonly timeFormat: "rfc3339" | "s" | "ms";
}

/** Prices of a CSV file with a header. A row without a price is left out; a row that cannot be read is refused. */
export function readPriceFile(text: string, mapping: Mapping): readonly { from: string; price: number }[] {
  const reader = new CsvReader();
  const rows = [...reader.push(text)];
  const last = reader.end();
  if (last !== undefined) rows.push(last);
  const [header, ...body] = rows;
  if (header === undefined) throw new UsageError("the file is empty");
  const [time, price] = [columnOf(header.cells, mapping.time), columnOf(header.cells, mapping.price)];
  const found = body.flatMap(({ cells, line }) => {
    const shown = cells[price]?.trim() ?? "";
    if (shown === "") return [];
    const value = Number(shown) * mapping.scale;
    const at = timeOf(cells[time]?.trim() ?? "", mapping.timeFormat);
    if (at === undefined || !Number.isFinite(value)) {
      throw new UsageError(`line ${line} is no price: ${JSON.stringify(cells.join(",").slice(0, 80))}`);
    }
    return [{ from: at, price: value }];
  });
  if (found.length === 0) throw new UsageError("the file has no prices");
  return found;
}

function columnOf(header: readonly string[], column: string): number {
  const byName = header.findIndex((name) => name.trim() === column);
  const place = byName >= 0 ? byName : /^\d+$/.test(column) ? Number(column) : -1;
  if (place >= 0 && place < header.length) return place;
  throw new UsageError(`there is no column ${JSON.stringify(column)}; the columns are ${header.join(", ")}`);
}

function timeOf(text: string, format: Mapping["timeFormat"]): string | undefined {
  const at = format === "rfc3339" ? Date.parse(text) : Number(text) * (format === "s" ? 1_000 : 1);
  return text === "" || !(Math.abs(at) <= 8.64e15) ? undefined : new Date(at).toISOString();
}
