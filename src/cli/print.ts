import { nearestOf } from "#core/text/nearest.ts";
import { printable } from "#core/text/printable.ts";
import type { Cli } from "./cli.ts";
import { renderAnswerAsCsv, renderCsv } from "./csv.ts";
import { isForPeople } from "./output-format.ts";
import { type Cell, type Columns, renderRecord, renderTable } from "./table.ts";
import { UsageError } from "./usage-error.ts";

type Format = { readonly output?: string | undefined; readonly columns?: readonly string[] | undefined };

/** Prints an answer: unchanged for programs, or as `render` shows it to people. */
export async function printAnswer(
  cli: Cli,
  { output }: Format,
  answer: unknown,
  render: (colour: boolean) => string,
): Promise<void> {
  const text = output === "csv" ? renderAnswerAsCsv(answer) : await renderForPrograms(output, answer);
  cli.stdout.write(`${text ?? render(hasColours(cli))}\n`);
  if (isForPeople(output) && hasPendingChange(answer)) {
    remark(
      cli,
      "This is what there is now. The change waits for its gateway; busbar gateway changes shows what becomes of it.",
    );
  }
}

/** In a cloud: the gateway of the site has not made the change yet. */
const hasPendingChange = (answer: unknown) =>
  typeof answer === "object" && answer !== null && "pending_change" in answer;

export type List<Row> = {
  readonly answer: unknown;
  readonly rows: readonly Row[];
  readonly columns: Columns<Row>;
  /** Columns that few people need: they follow with `-o wide`. */
  readonly wide?: Columns<Row>;
};

export async function printTable<Row>(cli: Cli, format: Format, list: List<Row>): Promise<void> {
  const { output } = format;
  const { rows } = list;
  const columns = chosenColumns(format, list);
  if (output === "csv") {
    const names = Object.keys(columns).map((name) => name.toLowerCase().replaceAll(" ", "_"));
    const cells = Object.values(columns);
    cli.stdout.write(
      `${renderCsv(
        names,
        rows.map((row) => cells.map((cell) => cell(row))),
      )}\n`,
    );
  } else if (output === "jsonl") for (const row of rows) cli.stdout.write(`${JSON.stringify(row)}\n`);
  else {
    const width = output === "wide" || cli.stdout.isTTY !== true ? undefined : cli.stdout.columns;
    await printAnswer(cli, format, list.answer, (colour) => renderTable(columns, rows, { colour, width }));
  }
}

/** All columns for programs and with `-o wide`, the usual ones otherwise, or those that are named. */
function chosenColumns<Row>({ output, columns: names }: Format, { columns, wide }: List<Row>): Columns<Row> {
  const all: Columns<Row> = { ...columns, ...wide };
  if (names === undefined) return output === "table" || output === undefined ? columns : all;
  const known = new Map(Object.keys(all).map((name) => [plain(name), name]));
  return Object.fromEntries(
    names.map((given) => {
      const name = known.get(plain(given));
      const cell = name === undefined ? undefined : all[name];
      if (name !== undefined && cell !== undefined) return [name, cell];
      const close = nearestOf(plain(given), [...known.keys()]);
      const hint = close === undefined ? "." : `; did you mean ${close}?`;
      throw new UsageError(`there is no column "${given}"${hint} The columns are ${[...known.keys()].join(", ")}`);
    }),
  );
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[ -]/g, "_");

export async function printRecord(
  cli: Cli,
  format: Format,
  record: { readonly answer: unknown; readonly fields: Readonly<Record<string, Cell>> },
): Promise<void> {
  await printAnswer(cli, format, record.answer, (colour) => renderRecord(record.fields, colour));
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
  if (isForPeople(output) && shown + (offset ?? 0) < total) {
    remark(cli, `${shown} of ${total}; --limit and --offset show more`);
  }
}

/** How a command went, in the form of a failure's message. */
export function complain(cli: Cli, lines: readonly string[]): void {
  cli.stderr.write(`busbar: ${lines.map(printable).join("\n")}\n`);
}

function hasColours(cli: Cli): boolean {
  return cli.stdout.hasColors?.() === true;
}

/** Undefined when people read it. */
async function renderForPrograms(output: string | undefined, answer: unknown): Promise<string | undefined> {
  if (output === "json") return JSON.stringify(answer, null, 2);
  if (output === "jsonl") return JSON.stringify(answer);
  if (output === "yaml") return (await import("yaml")).stringify(answer, { lineWidth: 0 }).trimEnd();
  return undefined;
}
