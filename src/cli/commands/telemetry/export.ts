// Exports every point unchanged: a bucket of one millisecond holds one point. The range is split, because one answer
// has at most a million rows.
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { parseTime } from "#cli/parse-time.ts";
import { remark } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { checkColumns } from "#cli/telemetry/check-columns.ts";
import { describeColumns } from "#cli/telemetry/describe-columns.ts";
import { parseSeries } from "#cli/telemetry/parse-series.ts";
import { UsageError } from "#cli/usage-error.ts";
import { writeOutput } from "#cli/write-output.ts";
import type { Client } from "#client/create-client.ts";
import { ApiError } from "#client/errors.ts";
import type { TimeseriesQuestion } from "#client/resources.ts";

type ExportFlags = ClientFlags & { readonly from: string; readonly to: string };

const DAY = 86_400_000;
const SHORTEST = 1_000;
const LONGEST = 3650 * DAY;
const NEWLINE = 10;

export function addExportCommand(telemetry: Command, cli: Cli): void {
  const command = telemetry
    .command("export")
    .argument("<device[:attributes]...>", "devices, with attributes or all of them")
    .description("Write every point as CSV, in the form that import reads.")
    .requiredOption("--from <time>", "start: -24h, a day, Unix seconds or RFC 3339")
    .option("--to <time>", "end, not included", "now");
  addConnectionOptions(command).action(async (words: readonly string[], flags: ExportFlags) => {
    const series = parseSeries(words);
    const now = Date.now();
    const [from, to] = [parseTime("--from", flags.from, now), parseTime("--to", flags.to, now)];
    if (from >= to) throw new UsageError("--from must be before --to");
    const { client, wait } = await openSession(cli, flags);
    const columns = await wait(describeColumns(client, series));
    checkColumns(columns);
    const question = {
      granularity: "1ms",
      aggregation: "last",
      telemetry: columns.map(({ device, attribute }) => ({ device, attribute })),
    };
    const progress = startProgress(cli, "exporting");
    let rows = 0;
    try {
      for await (const { bytes, until } of stretches(client, question, { from, to })) {
        for (const byte of bytes) if (byte === NEWLINE) rows++;
        await writeOutput(cli, bytes);
        progress.relabel(`exporting: ${rows} rows, at ${new Date(until).toISOString()}`);
      }
    } finally {
      progress.stop();
    }
    remark(cli, `exported ${Math.max(0, rows - 1)} rows`);
  });
  addExamples(
    command,
    "telemetry export meter-1:power --from -90d > power.csv",
    "telemetry export meter-1 --from -30d --to -1d | gzip > meter-1.csv.gz",
  );
}

type Range = { readonly from: number; readonly to: number };

/** The answer of each stretch one after the other, the header of the first only. */
async function* stretches(
  client: Client,
  question: Omit<TimeseriesQuestion, "from" | "to">,
  { from, to }: Range,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly until: number }> {
  let length = Math.min(LONGEST, to - from);
  let isFirst = true;
  for (let at = from; at < to; ) {
    const end = Math.min(to, at + length);
    const answer = await client.telemetry
      .timeseries({ ...question, from: at / 1000, to: end / 1000 })
      .catch((error) => {
        if (isTooLong(error) && end - at > SHORTEST) return undefined;
        throw error;
      });
    if (answer === undefined) {
      length = Math.max(SHORTEST, Math.ceil((end - at) / 4));
      continue;
    }
    let skipping = !isFirst;
    for await (const piece of answer) {
      const header = skipping ? piece.indexOf(NEWLINE) : -1;
      if (skipping && header < 0) continue;
      skipping = false;
      const bytes = piece.subarray(header + 1);
      if (bytes.length > 0) yield { bytes, until: end };
    }
    isFirst = false;
    at = end;
    length = Math.min(LONGEST, length * 2);
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof ApiError && error.status === 400 && error.message.includes("rows");
}
