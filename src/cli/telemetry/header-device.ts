import { UsageError } from "#cli/usage-error.ts";
import { CsvReader, readHeaderCell } from "#core/telemetry/read-csv.ts";

const NEWLINE = 10;

/** The one device that all columns of the header name. */
export function headerDevice(csv: Uint8Array): string {
  const end = csv.indexOf(NEWLINE);
  const reader = new CsvReader();
  const header = [...reader.push(`${new TextDecoder().decode(csv.subarray(0, end < 0 ? csv.length : end))}\n`)][0];
  const devices = new Set(header?.cells.slice(1).map((cell) => readHeaderCell(cell).get("device")));
  const [device, another] = devices;
  if (device !== undefined && devices.size === 1) return device;
  throw new UsageError(
    another === undefined
      ? "whose points are they? the header does not say; name the device with --device"
      : "the columns are of several devices; export and import each device by itself",
  );
}
