// Files of points in other forms than the wide CSV of an import, as pieces of that CSV: JSON lines, CSV with a row per
// value, and Parquet. Values of one moment that follow each other become one row.
import { UsageError } from "#cli/usage-error.ts";
import { CsvReader } from "#core/telemetry/read-csv.ts";
import { type CsvPiece, csvPieces } from "./csv-pieces.ts";

/** Some values of one moment. */
interface PointRecord {
  readonly ts: string;
  readonly device: string | undefined;
  readonly values: readonly (readonly [attribute: string, value: unknown])[];
  /** Its line, or its row. */
  readonly line: number;
}

interface PieceSettings {
  /** About how long a piece is, in bytes. */
  readonly size: () => number;
  /** Whose points they are, whatever the file says. */
  readonly device: string | undefined;
}

const LONG_HEADER = "ts,device,telemetry,value";

/** How the file begins shows its form. */
export async function* pointPieces(
  input: AsyncIterable<Uint8Array>,
  settings: PieceSettings,
): AsyncGenerator<CsvPiece> {
  const chunks = input[Symbol.asyncIterator]();
  const { value: first = new Uint8Array(), done } = await chunks.next();
  const all = joined(done === true ? undefined : first, chunks);
  const start = new TextDecoder().decode(first.subarray(0, LONG_HEADER.length + 8)).trimStart();
  if (start.startsWith("{")) yield* rowPieces(jsonRecords(all), settings);
  else if (start.split(/\r?\n/)[0] === LONG_HEADER) yield* rowPieces(longRecords(all), settings);
  else yield* csvPieces(all, settings.size);
}

export async function* parquetPieces(file: string, settings: PieceSettings): AsyncGenerator<CsvPiece> {
  yield* rowPieces(parquetRecords(file), settings);
}

async function* joined(
  first: Uint8Array | undefined,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (first === undefined) return;
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* jsonRecords(input: AsyncIterable<Uint8Array>): AsyncGenerator<PointRecord> {
  let line = 0;
  for await (const text of linesOf(input)) {
    line++;
    if (text.trim() === "") continue;
    const given = parseObject(text, line);
    const { ts, device, telemetry, value, ...others } = given;
    const isLong = typeof telemetry === "string" && "value" in given;
    const values = isLong
      ? [[telemetry, value] as const]
      : Object.entries({ ...others, ...optional({ telemetry, value }) });
    yield { ts: String(ts ?? ""), device: typeof device === "string" ? device : undefined, values, line };
  }
}

/** Without the keys that have no value. */
function optional(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function parseObject(text: string, line: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new UsageError(`line ${line} is no JSON object`);
}

async function* longRecords(input: AsyncIterable<Uint8Array>): AsyncGenerator<PointRecord> {
  const reader = new CsvReader();
  const decoder = new TextDecoder();
  const records = function* (text: string): Generator<PointRecord> {
    for (const { cells, line, emptyTexts } of reader.push(text)) {
      const [ts = "", device, attribute = "", value = ""] = cells;
      if (line === 1) continue;
      const known = value === "" && emptyTexts?.has(3) !== true ? null : value;
      yield { ts, device: device === "" ? undefined : device, values: [[attribute, known]], line };
    }
  };
  for await (const chunk of input) yield* records(decoder.decode(chunk, { stream: true }));
  yield* records(`${decoder.decode()}\n`);
}

async function* parquetRecords(path: string): AsyncGenerator<PointRecord> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  // A row group at a time, so that memory does not grow with the file.
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
    for (const [i, { ts, device, ...values }] of rows.entries()) {
      const time = ts instanceof Date ? ts.toISOString() : String(ts ?? "");
      const named = typeof device === "string" ? device : undefined;
      yield { ts: time, device: named, values: Object.entries(values), line: rowStart + i + 1 };
    }
    rowStart = rowEnd;
  }
}

async function* rowPieces(
  records: AsyncIterable<PointRecord>,
  { size, device: given }: PieceSettings,
): AsyncGenerator<CsvPiece> {
  let rows: { readonly ts: string; readonly cells: Map<string, string> }[] = [];
  let device: string | undefined;
  let [firstLine, bytes] = [2, 0];
  const take = (): CsvPiece => {
    const attributes = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
    const owner = given === undefined && device !== undefined ? ` device=${device}` : "";
    const header = ["ts", ...attributes.map((name) => cellOf(`telemetry=${name}${owner}`))].join(",");
    const lines = rows.map(({ ts, cells }) => [ts, ...attributes.map((name) => cells.get(name) ?? "")].join(","));
    rows = [];
    bytes = 0;
    return { bytes: Buffer.from(`${[header, ...lines].join("\n")}\n`), firstLine };
  };
  for await (const record of records) {
    if (rows.length > 0 && (record.device !== device || bytes >= size())) yield take();
    if (rows.length === 0) [device, firstLine] = [record.device, record.line];
    let row = rows.at(-1);
    if (row?.ts !== record.ts) {
      row = { ts: record.ts, cells: new Map() };
      rows.push(row);
      bytes += record.ts.length + 1;
    }
    for (const [attribute, value] of record.values) {
      if (value === null || value === undefined) continue;
      const cell =
        typeof value === "string"
          ? cellOf(value)
          : typeof value === "object"
            ? cellOf(JSON.stringify(value))
            : String(value);
      row.cells.set(attribute, cell);
      bytes += cell.length + 1;
    }
  }
  if (rows.length > 0) yield take();
}

function cellOf(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
