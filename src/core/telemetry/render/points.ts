// Every point of a device, for files that people keep: a row per moment, or a row per value.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { BlockColumn, RowBlock } from "#core/telemetry/row-block.ts";
import { localOffsets } from "#core/time/calendar.ts";
import { CsvBytes } from "./csv-bytes.ts";
import type { Renderer } from "./renderer.ts";

export const POINT_SHAPES = ["wide", "long"] as const;
export type PointShape = (typeof POINT_SHAPES)[number];

export const POINT_TIMES = ["unix", "iso", "local"] as const;
export type PointTime = (typeof POINT_TIMES)[number];

export interface PointSettings {
  readonly form: "csv" | "jsonl";
  readonly shape: PointShape;
  /** Seconds since 1970, RFC 3339 in UTC, or RFC 3339 as the clocks of the time zone show it. */
  readonly time: PointTime;
  readonly timezone: string;
  /** How the file names the device. */
  readonly device: string;
  /** The attribute of each column. */
  readonly attributes: readonly string[];
  /** Whether the file begins here. */
  readonly isFirst: boolean;
}

/** Used within a call only, so that all answers of a thread share its memory. */
const bytes = new CsvBytes();

export function pointRenderer(settings: PointSettings): Renderer {
  const { form, shape, isFirst } = settings;
  const writeTime = timeWriter(settings);
  const writeRow = { csv: { wide: csvWide, long: csvLong }, jsonl: { wide: jsonWide, long: jsonLong } }[form][shape];
  const write = writeRow(settings, writeTime);
  let isBegun = !isFirst || form !== "csv";
  return {
    render(block) {
      bytes.clear();
      if (!isBegun) bytes.plain(csvHeader(settings));
      isBegun = true;
      for (let row = 0; row < block.count; row++) write(block, row);
      return bytes.take();
    },
  };
}

/** Begins a row with its time. */
type WriteTime = (at: number) => void;
type WriteRow = (block: RowBlock, row: number) => void;

function csvHeader({ shape, device, attributes }: PointSettings): string {
  if (shape === "long") return "ts,device,telemetry,value\n";
  const cells = attributes.map((attribute) => cellText(`telemetry=${attribute} device=${device}`));
  return `${["ts", ...cells].join(",")}\n`;
}

/** A row per moment, in the form that an import reads. */
function csvWide(_: PointSettings, writeTime: WriteTime): WriteRow {
  return ({ times, columns }, row) => {
    writeTime(times[row] ?? 0);
    for (const column of columns) {
      bytes.comma();
      if (column.presence[row] === 1) writeCell(column, row);
    }
    bytes.newline();
  };
}

function csvLong({ device, attributes }: PointSettings, writeTime: WriteTime): WriteRow {
  const names = attributes.map((attribute) => `,${cellText(device)},${cellText(attribute)},`);
  return ({ times, columns }, row) => {
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (column?.presence[row] !== 1) continue;
      writeTime(times[row] ?? 0);
      bytes.plain(names[i] ?? "");
      writeCell(column, row);
      bytes.newline();
    }
  };
}

function jsonWide({ device, attributes }: PointSettings, writeTime: WriteTime): WriteRow {
  const keys = attributes.map((attribute) => `,${JSON.stringify(attribute)}:`);
  const name = `,"device":${JSON.stringify(device)}`;
  return ({ times, columns }, row) => {
    bytes.plain('{"ts":');
    writeTime(times[row] ?? 0);
    bytes.plain(name);
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (column?.presence[row] !== 1) continue;
      bytes.plain(keys[i] ?? "");
      writeJson(column, row);
    }
    bytes.plain("}\n");
  };
}

function jsonLong({ device, attributes }: PointSettings, writeTime: WriteTime): WriteRow {
  const names = attributes.map(
    (attribute) => `,"device":${JSON.stringify(device)},"telemetry":${JSON.stringify(attribute)},"value":`,
  );
  return ({ times, columns }, row) => {
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i];
      if (column?.presence[row] !== 1) continue;
      bytes.plain('{"ts":');
      writeTime(times[row] ?? 0);
      bytes.plain(names[i] ?? "");
      writeJson(column, row);
      bytes.plain("}\n");
    }
  };
}

function timeWriter({ form, time, timezone }: PointSettings): WriteTime {
  if (time === "unix") return (at) => bytes.row(at, at % 1_000 === 0);
  const quote = form === "csv" ? "" : '"';
  if (time === "iso") return (at) => bytes.plain(`${quote}${new Date(at).toISOString()}${quote}`);
  const offsetAt = localOffsets(timezone);
  return (at) => {
    const offset = offsetAt(at);
    const minutes = Math.abs(Math.round(offset / 60_000));
    const sign = offset < 0 ? "-" : "+";
    const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
    bytes.plain(`${quote}${new Date(at + offset).toISOString().slice(0, -1)}${sign}${clock}${quote}`);
  };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

function writeCell(column: BlockColumn, row: number): void {
  if (column.kind === "number") bytes.number(column.values[row] ?? 0);
  else if (column.kind === "boolean") bytes.plain(column.values[row] === 1 ? "true" : "false");
  else bytes.text(column.values[row] ?? "");
}

function writeJson(column: BlockColumn, row: number): void {
  if (column.kind === "number") bytes.number(column.values[row] ?? 0);
  else if (column.kind === "boolean") bytes.plain(column.values[row] === 1 ? "true" : "false");
  else bytes.plain(JSON.stringify(column.values[row] ?? ""));
}

function cellText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
