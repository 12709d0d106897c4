import { styleText } from "node:util";
import { displayWidth } from "#cli/display-width.ts";
import type { Range } from "#core/blueprint/issue.ts";
import { printable } from "#core/text/printable.ts";

const LINES_BEFORE = 2;
const WIDEST = 100;

/** The lines around a place with the place underlined. Nothing of the document reaches the terminal as a command. */
export function codeFrame(lines: readonly string[], { start, end }: Range, style: Style): string {
  const first = Math.max(1, start.line - LINES_BEFORE);
  const gutter = String(start.line).length;
  const shown: string[] = [];
  for (let number = first; number <= start.line; number += 1) {
    const line = lines[number - 1] ?? "";
    const { text } = number === start.line ? window(line, start.column) : window(line, 1);
    shown.push(`${style("dim", `${String(number).padStart(gutter)} |`)} ${text}`.trimEnd());
  }
  const line = lines[start.line - 1] ?? "";
  const { text, offset } = window(line, start.column);
  const from = displayWidth(visible(line.slice(offset, start.column - 1)));
  const until = end.line === start.line ? end.column - 1 : line.length;
  const width = Math.max(1, displayWidth(visible(line.slice(start.column - 1, until))));
  const room = Math.max(1, displayWidth(text) - from);
  const marks = "^".repeat(Math.min(width, room));
  const lead = offset > 0 ? displayWidth(CUT) : 0;
  shown.push(`${style("dim", `${" ".repeat(gutter)} |`)} ${" ".repeat(from + lead)}${style("mark", marks)}`);
  return shown.join("\n");
}

export type Style = (kind: "dim" | "mark" | "error" | "warning" | "good" | "bold", text: string) => string;

const COLOURS = { dim: "dim", mark: "red", error: "red", warning: "yellow", good: "green", bold: "bold" } as const;

export function styleFor(colour: boolean): Style {
  return colour ? (kind, text) => styleText(COLOURS[kind], text, { validateStream: false }) : (_, text) => text;
}

const CUT = "... ";

/** A long line is cut so that its place can be seen. */
function window(line: string, column: number): { readonly text: string; readonly offset: number } {
  const offset = column <= WIDEST ? 0 : column - WIDEST / 2;
  const part = line.slice(offset, offset + WIDEST);
  const tail = offset + WIDEST < line.length ? " ..." : "";
  return { text: `${offset > 0 ? CUT : ""}${visible(part)}${tail}`, offset };
}

function visible(text: string): string {
  return printable(text.replaceAll("\t", "  ").replace(/\r$/, ""));
}
