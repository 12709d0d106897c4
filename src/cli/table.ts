import { styleText } from "node:util";
import { printable } from "#core/text/printable.ts";
import { displayWidth } from "./display-width.ts";

export type Cell = string | number | boolean | null | undefined;

/** Columns by heading: how each row's cell is found. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const GAP = "  ";

/** Rows as aligned columns without borders, under a heading. */
export function renderTable<Row>(columns: Columns<Row>, rows: readonly Row[], colour: boolean): string {
  const headings = Object.keys(columns);
  const body = rows.map((row) => Object.values(columns).map((cell) => show(cell(row))));
  const [first = "", ...lines] = align([headings, ...body]);
  return [colour ? styleText("bold", first, { validateStream: false }) : first, ...lines].join("\n");
}

/** One thing as lines of name and value. */
export function renderRecord(fields: Readonly<Record<string, Cell>>, colour: boolean): string {
  const names = Object.keys(fields);
  const width = Math.max(0, ...names.map(displayWidth));
  return names
    .map((name) => {
      const label = pad(name, width);
      return `${colour ? styleText("bold", label, { validateStream: false }) : label}${GAP}${show(fields[name])}`;
    })
    .join("\n");
}

const LONGEST_CELL = 60;

/** A text that may be long, short enough for a column. */
export function cutText(text: string): string {
  return text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL - 3)}...` : text;
}

function align(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[column] ?? "")), 0),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function show(cell: Cell): string {
  return cell === null || cell === undefined || cell === "" ? "-" : printable(String(cell));
}
