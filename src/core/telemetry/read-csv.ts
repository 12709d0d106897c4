// Reads CSV by RFC 4180, as it comes: pieces of text in, whole rows out. Lines may end with or without a carriage return.

export interface CsvRow {
  readonly cells: readonly string[];
  /** Where the row begins, counted from 1. */
  readonly line: number;
}

const NEWLINE = 10;
const QUOTE = 34;
const COMMA = 44;

/** A row longer than this is no row: a quote that is never closed would swallow the rest. */
export const MAX_ROW_LENGTH = 1024 * 1024;

export class CsvReader {
  #rest = "";
  #line = 1;

  /** The rows that are complete with this piece. Throws RangeError when a row grows too long. */
  *push(piece: string): Generator<CsvRow> {
    const text = this.#rest + piece;
    let start = 0;
    for (;;) {
      const end = endOfRow(text, start);
      if (end < 0) break;
      const row = this.#row(text.slice(start, end));
      start = end + 1;
      if (row !== undefined) yield row;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > MAX_ROW_LENGTH) throw new RangeError(`the row at line ${this.#line} does not end`);
  }

  /** The last row, if it does not end with a line break. */
  end(): CsvRow | undefined {
    const rest = this.#rest;
    this.#rest = "";
    return rest === "" ? undefined : this.#row(rest);
  }

  #row(text: string): CsvRow | undefined {
    const line = this.#line;
    this.#line++;
    const content = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (content === "") return undefined;
    if (!content.includes('"')) return { cells: content.split(","), line };
    for (let i = 0; i < content.length; i++) if (content.charCodeAt(i) === NEWLINE) this.#line++;
    return { cells: quotedCells(content), line };
  }
}

/** Index of the line break that ends the row, or -1: one inside quotes does not. */
function endOfRow(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  const quote = text.indexOf('"', start);
  if (end < 0 || quote < 0 || quote > end) return end;
  const scan = new CsvScan();
  for (let i = start; i < text.length; i++) if (scan.endsRow(text.charCodeAt(i))) return i;
  return -1;
}

/** Finds the ends of rows, letter by letter. A quote opens a cell only at its very beginning; inside, two of them are one letter. */
export class CsvScan {
  #state: "start" | "plain" | "quoted" | "closed" = "start";

  endsRow(unit: number): boolean {
    if (this.#state === "quoted") {
      if (unit === QUOTE) this.#state = "closed";
      return false;
    }
    if (unit === NEWLINE) {
      this.#state = "start";
      return true;
    }
    if (unit === COMMA) this.#state = "start";
    else this.#state = unit === QUOTE && this.#state !== "plain" ? "quoted" : "plain";
    return false;
  }
}

const CELL = /(?:"((?:[^"]|"")*)"([^,]*)|([^,]*))(,|$)/gy;

/** What follows a closing quote belongs to the cell too: whoever writes that means it. */
function quotedCells(text: string): readonly string[] {
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(text);
    if (match === null) return [...cells, text.slice(CELL.lastIndex)];
    const [, quoted, after = "", plain = "", end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + after);
    if (end === "") return cells;
  }
}

/** The pairs of a header cell: `telemetry=power device=meter` and so on. */
export function readHeaderCell(cell: string): ReadonlyMap<string, string> {
  const pairs = cell.split(" ").flatMap((part): [string, string][] => {
    const at = part.indexOf("=");
    return at <= 0 ? [] : [[part.slice(0, at), part.slice(at + 1)]];
  });
  return new Map(pairs);
}
