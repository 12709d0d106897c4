// A file goes up in pieces of whole rows, each with the header; each piece is durable when it is answered.
import { createReadStream, statSync } from "node:fs";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions } from "#cli/client-command.ts";
import { remark } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { csvPieces } from "#cli/telemetry/csv-pieces.ts";
import { UsageError } from "#cli/usage-error.ts";

type ImportFlags = ClientFlags & { readonly device: string };

const PIECE_BYTES = 4 * 1024 * 1024;
const SHOWN_PROBLEMS = 20;

export function addImportCommand(telemetry: Command, cli: Cli): void {
  const command = telemetry
    .command("import <file>")
    .description("Load points from CSV with a header of telemetry=<attribute> cells; - reads standard input.")
    .requiredOption("-d, --device <device>", "whose points they are");
  addConnectionOptions(command).action(async (file: string, flags: ImportFlags) => {
    const { client } = await openSession(cli, flags);
    const input = file === "-" ? (cli.input ?? noInput()) : createReadStream(file, { highWaterMark: 1024 * 1024 });
    const size = file === "-" ? undefined : statSync(file).size;
    const progress = startProgress(cli, "importing");
    const total = { rows: 0, points: 0, problems: 0, bytes: 0 };
    const shown: string[] = [];
    try {
      for await (const { bytes, firstLine } of csvPieces(input, PIECE_BYTES)) {
        const answer = await client.telemetry.import(flags.device, bytes);
        total.rows += answer.rows;
        total.points += answer.points;
        total.problems += answer.problem_count;
        total.bytes += bytes.length;
        for (const { line, telemetry: name, message } of answer.problems) {
          // The piece's own lines begin after its header.
          const place = line === 1 ? 1 : line - 2 + firstLine;
          if (shown.length < SHOWN_PROBLEMS)
            shown.push(`line ${place}${name === undefined ? "" : `, ${name}`}: ${message}`);
        }
        const part = size === undefined ? "" : ` (${Math.min(100, Math.round((total.bytes / size) * 100))} %)`;
        progress.relabel(`importing: ${total.points} points${part}`);
      }
    } finally {
      progress.stop();
    }
    for (const line of shown) remark(cli, line);
    if (total.problems > shown.length) remark(cli, `and ${total.problems - shown.length} problems more`);
    cli.stdout.write(`imported ${total.points} points in ${total.rows} rows\n`);
    if (total.problems > 0) throw new QuietFailure(1);
  });
}

function noInput(): never {
  throw new UsageError("there is no standard input to read");
}
