import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { EXIT } from "#cli/exit-code.ts";
import { addOutputOption, isForPeople } from "#cli/output-format.ts";
import { printTable, remark } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { cutText, renderTable } from "#cli/table.ts";
import { type Column, describeColumns } from "#cli/telemetry/describe-columns.ts";
import { parseSeries } from "#cli/telemetry/parse-series.ts";
import { UsageError } from "#cli/usage-error.ts";
import { mayPass } from "#client/errors.ts";
import type { Now } from "#client/telemetry-now.ts";
import { parseDuration } from "#core/time/duration.ts";

type NowFlags = ClientFlags & { readonly watch?: string | true };

export function addNowCommand(now: Command, cli: Cli): void {
  const words = now.argument("<device[:attributes]...>", "devices, with attributes or all of them");
  addConnectionOptions(addOutputOption(words))
    .option("-w, --watch [interval]", "show them again and again (default every 2s)")
    .action(async (words: readonly string[], flags: NowFlags) => {
      const session = await openSession(cli, flags);
      const interval = watchInterval(flags.watch);
      const columns = await session.wait(describeColumns(session.client, parseSeries(words)));
      if (columns.length === 0) throw new UsageError("the device's blueprint declares no telemetry");
      const shown = { flags, columns };
      if (interval === undefined) return await showOnce(cli, session, shown);
      const print = await createPrinter(cli, flags);
      const ended = Promise.withResolvers<true>();
      const stopListening = cli.onInterrupt?.(() => ended.resolve(true));
      try {
        do await showAgain(cli, session, { ...shown, print });
        while ((await Promise.race([ended.promise, pause(interval)])) !== true);
      } finally {
        stopListening?.();
      }
    });
  addExamples(now, "now battery-1", "now battery-1:soc,power meter-1:power", "now battery-1:power --watch 1s");
}

type Shown = { readonly flags: NowFlags; readonly columns: readonly Column[] };

function ask({ client, wait }: Session, columns: readonly Column[]): Promise<Now> {
  const asked: Record<string, string[]> = Object.create(null);
  for (const { device, attribute } of columns) asked[device] = [...(asked[device] ?? []), attribute];
  return wait(client.telemetry.now(asked));
}

async function showOnce(cli: Cli, session: Session, { flags, columns }: Shown): Promise<void> {
  const answer = await ask(session, columns);
  await printTable(cli, flags, { answer, rows: columns, columns: cellsOf(answer) });
  const problems = answer.errors.filter(({ code }) => code !== "no_data");
  if (isForPeople(flags.output)) for (const { message } of problems) remark(cli, message);
  const [first] = problems;
  if (first !== undefined) throw new QuietFailure(first.code === "forbidden" ? EXIT.notAllowed : EXIT.notFound);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

type Print = Awaited<ReturnType<typeof createPrinter>>;

/** A server that is away for a while does not end the watch: the user wants to see it come back. */
async function showAgain(
  cli: Cli,
  session: Session,
  { flags, columns, print }: Shown & { readonly print: Print },
): Promise<void> {
  try {
    const answer = await ask(session, columns);
    // On a terminal the new values stand where the old ones stood.
    if (isForPeople(flags.output) && cli.stdout.isTTY === true) cli.stdout.write("\u001b[2J\u001b[H");
    print(answer, (colour) => renderTable(cellsOf(answer), columns, { colour }));
    if (!isForPeople(flags.output)) return;
    for (const { code, message } of answer.errors) if (code !== "no_data") remark(cli, message);
  } catch (error) {
    if (!mayPass(error)) throw error;
    remark(cli, "no answer; trying again");
  }
}

function cellsOf(answer: Now) {
  const found = ({ device, attribute }: Column) => answer.devices[device]?.[attribute];
  return {
    DEVICE: ({ device }: Column) => device,
    ATTRIBUTE: ({ attribute }: Column) => attribute,
    VALUE: (column: Column) => {
      const value = found(column)?.value;
      return typeof value === "string" || typeof value === "object" ? cutText(renderValue(value)) : value;
    },
    UNIT: ({ unit }: Column) => unit,
    TIME: (column: Column) => {
      const timestamp = found(column)?.timestamp;
      return timestamp === undefined ? undefined : new Date(timestamp * 1000).toISOString();
    },
  };
}

const DEFAULT_INTERVAL = 2_000;

/** Milliseconds; undefined without --watch. */
function watchInterval(watch: string | true | undefined): number | undefined {
  if (watch === undefined) return undefined;
  const duration = watch === true ? undefined : parseDuration(watch);
  if (watch === true) return DEFAULT_INTERVAL;
  if (duration === undefined || duration < 100_000_000n) {
    throw new UsageError(`--watch must be a duration of at least 100ms, not "${watch}"`);
  }
  return Number(duration / 1_000_000n);
}
