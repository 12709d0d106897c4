import { UsageError } from "#cli/usage-error.ts";
import { CsvReader, readHeaderCell } from "#core/telemetry/read-csv.ts";

const NEWLINE = 10;

/** The one device that all columns of the header name. */
export function headerDevice(csv: Uint8Array): string {
  const [device, another] = devicesOf(headerOf(csv).cells);
  if (device !== undefined && another === undefined) return device;
  throw new UsageError(
    another === undefined
      ? "whose points are they? the header does not say; name the device with --device"
      : "the columns are of several devices; export and import each device by itself",
  );
}

/** The same points without the device that the header names: they are for another one. */
export function withoutDevice(csv: Uint8Array): Uint8Array {
  const { cells, end } = headerOf(csv);
  const [device, another] = devicesOf(cells.filter((cell) => readHeaderCell(cell).has("device")));
  if (device === undefined) return csv;
  if (another !== undefined) throw new UsageError("the columns are of several devices; --device cannot be all of them");
  const plain = cells.map((cell) => cell.replace(/(^| )device=\S*/, "").trim());
  const header = plain.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",");
  return Buffer.concat([Buffer.from(header), csv.subarray(end)]);
}

function headerOf(csv: Uint8Array): { readonly cells: readonly string[]; readonly end: number } {
  const found = csv.indexOf(NEWLINE);
  const end = found < 0 ? csv.length : found;
  const header = [...new CsvReader().push(`${new TextDecoder().decode(csv.subarray(0, end))}\n`)][0];
  return { cells: header?.cells ?? [], end };
}

const devicesOf = (cells: readonly string[]): readonly (string | undefined)[] => [
  ...new Set(cells.filter((cell) => cell !== "ts").map((cell) => readHeaderCell(cell).get("device"))),
];
