import { styleText } from "node:util";
import { itemAt } from "#core/item-at.ts";
import { printable } from "#core/text/printable.ts";
import { displayWidth } from "./display-width.ts";

export type Cell = string | number | boolean | null | undefined;

/** Columns by heading: how each row's cell is found. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const GAP = "  ";

interface Look {
  readonly colour: boolean;
  /** How wide the terminal is. Long cells are cut so that a line fits. */
  readonly width?: number | undefined;
}

/** Rows as aligned columns without borders, under a heading. */
export function renderTable<Row>(columns: Columns<Row>, rows: readonly Row[], { colour, width }: Look): string {
  const headings = Object.keys(columns);
  const body = rows.map((row) => Object.values(columns).map((cell) => show(cell(row))));
  const [first = "", ...lines] = align([headings, ...body], width);
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

function align(lines: readonly (readonly string[])[], width: number | undefined): string[] {
  const natural = (lines[0] ?? []).map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[column] ?? "")), 0),
  );
  const widths = width === undefined ? natural : fitted(natural, width);
  return lines.map((line) =>
    line
      .map((cell, column) => pad(cut(cell, itemAt(widths, column)), itemAt(widths, column)))
      .join(GAP)
      .trimEnd(),
  );
}

/** A column is never cut below this. */
const NARROWEST = 12;

/** The widest columns give first. Columns that cannot be made narrow enough stay as they are, and lines wrap. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) return natural;
    const second = Math.max(NARROWEST, ...widths.filter((one) => one < widest));
    const column = widths.indexOf(widest);
    const less = Math.min(excess, Math.max(1, widest - second));
    widths[column] = widest - less;
    excess -= less;
  }
  return widths;
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = text.slice(0, width);
  while (displayWidth(kept) > width - 1) kept = [...kept].slice(0, -1).join("");
  return `${kept}\u2026`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function show(cell: Cell): string {
  return cell === null || cell === undefined || cell === "" ? "-" : printable(String(cell));
}
