// Points from CSV in the form that time series are answered in: a header of telemetry=<attribute> cells, then a row per
// moment. Rows are stored in steps; a step is durable before the next one is read. Doing it again changes nothing.
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { CsvReader, type CsvRow, readHeaderCell } from "#core/telemetry/read-csv.ts";
import { parseInstant } from "#core/time/instant.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";
import { deviceAttributes, findAttribute } from "#service/telemetry/read-now.ts";

export type ImportNeeds = Pick<Needs, "devices" | "telemetry" | "audit" | "now" | "newId"> & {
  readonly catalog: BlueprintCatalog;
};

interface ImportProblem {
  readonly line: number;
  readonly attribute: string | undefined;
  readonly message: string;
}

export interface ImportReport {
  readonly rows: number;
  readonly points: number;
  readonly problemCount: number;
  /** The first ones. */
  readonly problems: readonly ImportProblem[];
}

const MAX_PROBLEMS = 100;
/** A step ends with an hour after so many points, because hours are what is stored, or at the latest after more. */
const STEP_POINTS = 200_000;
const LONGEST_STEP_POINTS = 800_000;
const HOUR_MS = 3_600_000;
const MAX_AHEAD_MS = 24 * HOUR_MS;
/** Unix seconds beyond the year 5138 can only be milliseconds. */
const SURELY_MILLISECONDS = 1e11;

export async function importTelemetry(
  needs: ImportNeeds,
  call: Call,
  { idOrSlug, body }: { readonly idOrSlug: string; readonly body: AsyncIterable<Uint8Array> },
): Promise<ImportReport> {
  const device = await visibleDevice(needs, call, idOrSlug);
  const attributes = await deviceAttributes(needs, device);
  const names = new Set([device.id, device.slug, idOrSlug]);
  const table = new ImportTable((row) => parseHeader(row, { attributes, names, call }), needs.now() + MAX_AHEAD_MS);
  for await (const row of rowsOf(body)) {
    if (table.isStepBefore(row)) await needs.telemetry.load(device.id, table.take());
    table.add(row);
  }
  await needs.telemetry.load(device.id, table.take());
  const { rows, points, problemCount, problems } = table;
  if (!table.hasHeader)
    throw refuse("invalid_body", "the file is empty; its first row must be ts,telemetry=<attribute>");
  const target = { siteId: device.siteId, deviceId: device.id };
  await needs.audit.append([auditTrail(needs, call, { target, details: { rows, points, problems: problemCount } })]);
  return { rows, points, problemCount, problems };
}

async function* rowsOf(body: AsyncIterable<Uint8Array>): AsyncIterable<CsvRow> {
  const reader = new CsvReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of body) yield* reader.push(decoder.decode(piece, { stream: true }));
    yield* reader.push(decoder.decode());
  } catch (error) {
    if (error instanceof RangeError) throw refuse("invalid_body", error.message);
    if (error instanceof TypeError) throw refuse("invalid_body", "the file is not UTF-8 text");
    throw error;
  }
  const last = reader.end();
  if (last !== undefined) yield last;
}

interface HeaderContext {
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly names: ReadonlySet<string>;
  readonly call: Call;
}

/** The attribute of each column after the first. Refuses with everything that is wrong at once. */
function parseHeader({ cells }: CsvRow, { attributes, names, call }: HeaderContext): readonly Attribute[] {
  const refusals: Refusal[] = [];
  const wrong = (message: string, column: number) => {
    refusals.push({ code: "invalid_body", message, details: { line: 1, column } });
  };
  const [first, ...others] = cells;
  if (first !== "ts") wrong(`the first column must be named ts, not ${JSON.stringify(first?.slice(0, 80))}`, 1);
  if (others.length === 0) wrong("there is no column with telemetry=<attribute>", 1);
  const found = others.map((cell, index) => {
    const pairs = readHeaderCell(cell);
    const [name, device] = [pairs.get("telemetry"), pairs.get("device")];
    if (name === undefined) wrong(`column ${index + 2} has no telemetry=<attribute>`, index + 2);
    if (device !== undefined && !names.has(device)) wrong(`column ${index + 2} is of another device`, index + 2);
    const attribute = findAttribute(attributes, call, { device: "", attribute: name ?? "" });
    if (name !== undefined && "code" in attribute) wrong(attribute.message, index + 2);
    return "code" in attribute ? undefined : attribute;
  });
  for (const [index, attribute] of found.entries()) {
    if (attribute !== undefined && found.indexOf(attribute) < index) {
      wrong(`column ${index + 2} is ${attribute.id} once more`, index + 2);
    }
  }
  const [refusal, ...rest] = refusals;
  if (refusal !== undefined) throw new AppError([refusal, ...rest]);
  return found.filter((attribute) => attribute !== undefined);
}

interface OpenColumn {
  readonly attribute: Attribute;
  times: number[];
  values: (number | boolean | string)[];
}

/** Rows on their way to columns. */
class ImportTable {
  rows = 0;
  points = 0;
  problemCount = 0;
  readonly problems: ImportProblem[] = [];
  readonly #parseHeader: (row: CsvRow) => readonly Attribute[];
  readonly #latest: number;
  #columns: readonly OpenColumn[] | undefined;
  #waiting = 0;
  #hour = Number.NaN;

  constructor(parse: (row: CsvRow) => readonly Attribute[], latest: number) {
    this.#parseHeader = parse;
    this.#latest = latest;
  }

  get hasHeader(): boolean {
    return this.#columns !== undefined;
  }

  /** Whether what has come so far should be stored before this row is added. */
  isStepBefore({ cells }: CsvRow): boolean {
    if (this.#waiting < STEP_POINTS) return false;
    return this.#waiting >= LONGEST_STEP_POINTS || Math.floor((Number(cells[0]) * 1_000) / HOUR_MS) !== this.#hour;
  }

  add(row: CsvRow): void {
    if (this.#columns === undefined) {
      this.#columns = this.#parseHeader(row).map((attribute) => ({ attribute, times: [], values: [] }));
      return;
    }
    const { cells, line } = row;
    this.rows++;
    if (cells.length !== this.#columns.length + 1) {
      this.#refuse(line, `has ${cells.length} cells, but the header has ${this.#columns.length + 1}`);
      return;
    }
    const at = parseTime(cells[0] ?? "");
    const problem = typeof at === "string" ? at : at > this.#latest ? "is more than a day ahead" : undefined;
    if (typeof at === "string" || problem !== undefined) {
      this.#refuse(line, `the time ${problem}`);
      return;
    }
    this.#hour = Math.floor(at / HOUR_MS);
    for (let i = 0; i < this.#columns.length; i++)
      this.#addCell(this.#columns[i], { at, line, cell: cells[i + 1] ?? "" });
  }

  /** Hands over what waits, and begins anew. */
  take(): readonly LoadedColumn[] {
    const columns = (this.#columns ?? []).flatMap((column) => {
      if (column.times.length === 0) return [];
      const loaded = loadedColumn(column);
      column.times = [];
      column.values = [];
      return [loaded];
    });
    this.#waiting = 0;
    return columns;
  }

  #addCell(
    column: OpenColumn | undefined,
    { at, line, cell }: { readonly at: number; readonly line: number; readonly cell: string },
  ): void {
    // An empty cell is no value.
    if (column === undefined || cell === "") return;
    const { attribute } = column;
    const value = readValue(attribute, cell);
    const problem = valueProblem(attribute, value);
    if (problem !== undefined) {
      this.#refuse(line, problem, attribute.id);
      return;
    }
    column.times.push(at);
    column.values.push(typeof value === "object" ? JSON.stringify(value) : (value as number | boolean | string));
    this.points++;
    this.#waiting++;
  }

  #refuse(line: number, message: string, attribute?: string): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ line, attribute, message });
  }
}

function loadedColumn({ attribute, times, values }: OpenColumn): LoadedColumn {
  const kind = columnKind(attribute.type);
  const head = { attribute: attribute.id, kind, count: times.length, times: Float64Array.from(times) };
  if (kind === "text") return { ...head, values: values as readonly string[] };
  return { ...head, values: kind === "number" ? Float64Array.from(values, Number) : Uint8Array.from(values, Number) };
}

/** Unix milliseconds, or what is wrong. */
function parseTime(text: string): number | string {
  const seconds = text === "" ? Number.NaN : Number(text);
  const at = Number.isNaN(seconds) ? parseInstant(text) : Math.round(Math.round(seconds * 1e6) / 1e3);
  if (at === undefined) return `must be Unix seconds or RFC 3339, not ${JSON.stringify(text.slice(0, 40))}`;
  if (seconds >= SURELY_MILLISECONDS) return "can only be milliseconds; give Unix seconds";
  return at < 0 ? "must not be before 1970" : at;
}

/** The cell as a value of the attribute's type, or as it is where it cannot be one. */
function readValue({ type }: Attribute, cell: string): unknown {
  switch (type) {
    case "float":
    case "integer": {
      const value = Number(cell);
      return Number.isNaN(value) || cell.trim() === "" ? cell : value;
    }
    case "boolean":
      return cell === "true" ? true : cell === "false" ? false : cell;
    case "string":
      return cell;
    case "array_of_strings":
    case "alerts":
      try {
        return JSON.parse(cell);
      } catch {
        return cell;
      }
  }
}
