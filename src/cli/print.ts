import { printable } from "#core/text/printable.ts";
import type { Cli } from "./cli.ts";
import { type Cell, type Columns, renderRecord, renderTable } from "./table.ts";

type Format = { readonly output?: string | undefined };

/** Prints an answer: unchanged for programs, or as `render` shows it to people. */
export async function printAnswer(
  cli: Cli,
  { output }: Format,
  answer: unknown,
  render: (colour: boolean) => string,
): Promise<void> {
  cli.stdout.write(`${await text(output, answer, () => render(cli.stdout.hasColors?.() === true))}\n`);
}

export function printTable<Row>(
  cli: Cli,
  format: Format,
  list: { readonly answer: unknown; readonly rows: readonly Row[]; readonly columns: Columns<Row> },
): Promise<void> {
  return printAnswer(cli, format, list.answer, (colour) => renderTable(list.columns, list.rows, colour));
}

export function printRecord(
  cli: Cli,
  format: Format,
  record: { readonly answer: unknown; readonly fields: Readonly<Record<string, Cell>> },
): Promise<void> {
  return printAnswer(cli, format, record.answer, (colour) => renderRecord(record.fields, colour));
}

/** A remark for the user, kept out of stdout. */
export function remark(cli: Cli, text: string): void {
  cli.stderr.write(`${printable(text)}\n`);
}

type Shown = { readonly shown: number; readonly total: number };

/** Says that a list is longer than shown. */
export function remarkRest(
  cli: Cli,
  { output, offset }: Format & { readonly offset?: number | undefined },
  { shown, total }: Shown,
): void {
  if (output === "table" && shown + (offset ?? 0) < total) {
    remark(cli, `${shown} of ${total}; --limit and --offset show more`);
  }
}

/** How a command went, in the form of a failure's message. */
export function complain(cli: Cli, lines: readonly string[]): void {
  cli.stderr.write(`busbar: ${lines.map(printable).join("\n")}\n`);
}

async function text(output: string | undefined, answer: unknown, render: () => string): Promise<string> {
  if (output === "json") return JSON.stringify(answer, null, 2);
  if (output === "yaml") return (await import("yaml")).stringify(answer, { lineWidth: 0 }).trimEnd();
  return render();
}
