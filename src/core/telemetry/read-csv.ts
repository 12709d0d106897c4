// Reads CSV by RFC 4180, as it comes: pieces of text in, whole rows out. Lines may end with or without a carriage return.

export interface CsvRow {
  readonly cells: readonly string[];
  /** Where the row begins, counted from 1. */
  readonly line: number;
  /** Only for a last row: the text ends inside quotes, so the content is not what was meant. */
  readonly isUnclosed?: true;
  /** Which cells are the empty text: two quotes, where nothing at all is no value. */
  readonly emptyTexts?: ReadonlySet<number>;
}

const NEWLINE = 10;
const QUOTE = 34;
const COMMA = 44;

/** A row longer than this is no row: a quote that is never closed would swallow the rest. */
export const MAX_ROW_LENGTH = 1024 * 1024;

/** Every character is looked at once, however small the pieces are. */
export class CsvReader {
  /** The pieces of a row that has not ended yet. */
  #parts: string[] = [];
  #length = 0;
  #line = 1;
  readonly #scan = new CsvScan();

  /** The rows that are complete with this piece. Throws RangeError when a row grows too long. */
  *push(piece: string): Generator<CsvRow> {
    let start = 0;
    let quote = piece.indexOf('"');
    for (;;) {
      if (quote >= 0 && quote < start) quote = piece.indexOf('"', start);
      const end = this.#endOfRow(piece, start, quote);
      if (end < 0) break;
      const row = this.#row(this.#whole(piece.slice(start, end)));
      start = end + 1;
      if (row !== undefined) yield row;
    }
    this.#keep(piece.slice(start));
  }

  /** The last row, if it does not end with a line break. */
  end(): CsvRow | undefined {
    const isUnclosed = this.#scan.isQuoted;
    const rest = this.#whole("");
    const row = rest === "" ? undefined : this.#row(rest);
    return row === undefined || !isUnclosed ? row : { ...row, isUnclosed };
  }

  /** Index of the line break that ends the row, or -1: one inside quotes does not. `quote` is where the next one stands, or -1. */
  #endOfRow(text: string, start: number, quote: number): number {
    const scan = this.#scan;
    const end = scan.isQuoted ? -1 : text.indexOf("\n", start);
    if (end >= 0 && (quote < 0 || quote > end)) {
      scan.beginRow();
      return end;
    }
    for (let i = start; i < text.length; i++) if (scan.endsRow(text.charCodeAt(i))) return i;
    return -1;
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length > MAX_ROW_LENGTH) throw new RangeError(`the row at line ${this.#line} does not end`);
    if (part !== "") this.#parts.push(part);
  }

  /** Returns the row with its last part, and starts a new one. */
  #whole(part: string): string {
    this.#keep(part);
    const text = this.#parts.length === 1 ? (this.#parts[0] ?? "") : this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    return text;
  }

  #row(text: string): CsvRow | undefined {
    const line = this.#line;
    this.#line++;
    const content = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (content === "") return undefined;
    if (!content.includes('"')) return { cells: content.split(","), line };
    for (let i = 0; i < content.length; i++) if (content.charCodeAt(i) === NEWLINE) this.#line++;
    return { ...quotedCells(content), line };
  }
}

/** Finds the ends of rows, letter by letter. A quote opens a cell only at its very beginning; inside, two of them are one letter. */
export class CsvScan {
  #state: "start" | "plain" | "quoted" | "closed" = "start";

  get isQuoted(): boolean {
    return this.#state === "quoted";
  }

  beginRow(): void {
    this.#state = "start";
  }

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

/** Text after a closing quote belongs to the cell too, because its author meant it to. */
function quotedCells(text: string): Pick<CsvRow, "cells" | "emptyTexts"> {
  const cells: string[] = [];
  const emptyTexts = new Set<number>();
  CELL.lastIndex = 0;
  for (;;) {
    const match = CELL.exec(text);
    if (match === null) return { cells: [...cells, text.slice(CELL.lastIndex)], emptyTexts };
    const [, quoted, after = "", plain = "", end] = match;
    if (quoted === "" && after === "") emptyTexts.add(cells.length);
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"') + after);
    if (end === "") return { cells, emptyTexts };
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
