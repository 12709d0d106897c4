// Turns rows of CSV into columns of points, and decides where one step of an import ends.

import { columnKind } from "#core/telemetry/aggregation.ts";
import type { CsvRow } from "#core/telemetry/read-csv.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { parseInstant } from "#core/time/instant.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";
import { MAX_TEXT_PER_HOUR } from "#service/telemetry/text-budget.ts";

export interface ImportProblem {
  readonly line: number;
  readonly attribute: string | undefined;
  readonly message: string;
}

const MAX_PROBLEMS = 100;
/** Longer than any text that a device can send. */
const MAX_TEXT_LENGTH = 256 * 1024;
/**
 * After this many points a step ends with the current hour, because storage is by the hour. After the second number it
 * ends at once.
 */
const STEP_POINTS = 200_000;
const LONGEST_STEP_POINTS = 800_000;
/**
 * The same by bytes read from the body, because texts stay in memory meanwhile, and each keeps its neighbours alive.
 */
const STEP_BYTES = 8 * 1024 * 1024;
const LONGEST_STEP_BYTES = 32 * 1024 * 1024;
/** The same by the number of hours, because each takes time during which devices wait. */
const STEP_HOURS = 1_000;
/** A larger number of seconds is beyond the year 5138, so it must be milliseconds. */
const SURELY_MILLISECONDS = 1e11;

interface OpenColumn {
  readonly attribute: Attribute;
  times: number[];
  values: (number | boolean | string)[];
}

/** Rows that are being turned into columns. */
export class ImportTable {
  rows = 0;
  points = 0;
  problemCount = 0;
  readonly problems: ImportProblem[] = [];
  readonly #parseHeader: (row: CsvRow) => readonly Attribute[];
  readonly #latest: number;
  #columns: readonly OpenColumn[] | undefined;
  /** What waits to be stored: points, bytes of the body, and the hours of the points. */
  #waiting = 0;
  #waitingBytes = 0;
  readonly #waitingHours = new Set<number>();
  #hour = Number.NaN;
  /** Characters of texts that differ from those before them, by hour. */
  readonly #texts = new Map<number, number>();

  constructor(parse: (row: CsvRow) => readonly Attribute[], latest: number) {
    this.#parseHeader = parse;
    this.#latest = latest;
  }

  get hasHeader(): boolean {
    return this.#columns !== undefined;
  }

  /** The attributes of the header. */
  get attributes(): readonly Attribute[] {
    return (this.#columns ?? []).map(({ attribute }) => attribute);
  }

  read(bytes: number): void {
    this.#waitingBytes += bytes;
  }

  /** Whether the rows so far should be stored before this row is added. */
  isStepBefore({ cells }: CsvRow): boolean {
    if (this.#waiting >= LONGEST_STEP_POINTS || this.#waitingBytes >= LONGEST_STEP_BYTES) return true;
    if (this.#waitingHours.size >= STEP_HOURS) return true;
    if (this.#waiting < STEP_POINTS && this.#waitingBytes < STEP_BYTES) return false;
    return Math.floor((Number(cells[0]) * 1_000) / HOUR_MS) !== this.#hour;
  }

  add(row: CsvRow): void {
    if (this.#columns === undefined) {
      this.#columns = this.#parseHeader(row).map((attribute) => ({ attribute, times: [], values: [] }));
      return;
    }
    const { cells, line } = row;
    this.rows++;
    if (row.isUnclosed) {
      this.#refuse(line, "has a quote that is never closed");
      return;
    }
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
    const hour = Math.floor(at / HOUR_MS);
    if (hour !== this.#hour) this.#waitingHours.add(hour);
    this.#hour = hour;
    for (let i = 0; i < this.#columns.length; i++) {
      const cell = cells[i + 1] ?? "";
      const column = this.#columns[i];
      // An empty cell is no value, unless it is the empty text.
      if (column === undefined || (cell === "" && !isEmptyText(row, i + 1, column.attribute))) continue;
      this.#addCell(column, { at, line, cell });
    }
  }

  /** Returns what waits, and starts again. */
  take(): readonly LoadedColumn[] {
    const columns = (this.#columns ?? []).flatMap((column) => {
      if (column.times.length === 0) return [];
      const loaded = loadedColumn(column);
      column.times = [];
      column.values = [];
      return [loaded];
    });
    this.#waiting = 0;
    this.#waitingBytes = 0;
    this.#waitingHours.clear();
    this.#hour = Number.NaN;
    return columns;
  }

  #addCell(
    column: OpenColumn,
    { at, line, cell }: { readonly at: number; readonly line: number; readonly cell: string },
  ): void {
    const { attribute } = column;
    const value = readValue(attribute, cell);
    const problem =
      cell.length > MAX_TEXT_LENGTH
        ? "is longer than 256 KiB"
        : (valueProblem(attribute, value) ?? this.#problemOfText(column, cell));
    if (problem !== undefined) {
      this.#refuse(line, problem, attribute.id);
      return;
    }
    column.times.push(at);
    column.values.push(typeof value === "object" ? JSON.stringify(value) : (value as number | boolean | string));
    this.points++;
    this.#waiting++;
  }

  #problemOfText({ attribute, values }: OpenColumn, cell: string): string | undefined {
    if (columnKind(attribute.type) !== "text" || values.at(-1) === cell) return undefined;
    const used = (this.#texts.get(this.#hour) ?? 0) + cell.length;
    if (used > MAX_TEXT_PER_HOUR) return "is left out: its hour has 8 MiB of texts already";
    this.#texts.set(this.#hour, used);
    return undefined;
  }

  #refuse(line: number, message: string, attribute?: string): void {
    this.problemCount++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ line, attribute, message });
  }
}

function isEmptyText({ emptyTexts }: CsvRow, index: number, { type }: Attribute): boolean {
  return type === "string" && emptyTexts?.has(index) === true;
}

function loadedColumn({ attribute, times, values }: OpenColumn): LoadedColumn {
  const kind = columnKind(attribute.type);
  const head = { attribute: attribute.id, kind, count: times.length, times: Float64Array.from(times) };
  if (kind === "text") return { ...head, values: values as readonly string[] };
  return { ...head, values: kind === "number" ? Float64Array.from(values, Number) : Uint8Array.from(values, Number) };
}

/** Unix milliseconds, or a description of the problem. */
function parseTime(text: string): number | string {
  const seconds = text === "" ? Number.NaN : Number(text);
  const at = Number.isNaN(seconds) ? parseInstant(text) : Math.round(Math.round(seconds * 1e6) / 1e3);
  if (at === undefined) return `must be Unix seconds or RFC 3339, not ${JSON.stringify(text.slice(0, 40))}`;
  if (seconds >= SURELY_MILLISECONDS) return "can only be milliseconds; give Unix seconds";
  return at < 0 ? "must not be before 1970" : at;
}

/** The cell as a value of the attribute's type, or unchanged if it cannot be one. */
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
