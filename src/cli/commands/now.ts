import type { Command } from "commander";
import { Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { type Column, describeColumns } from "#cli/telemetry/describe-columns.ts";
import { parseSeries } from "#cli/telemetry/parse-series.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Now } from "#client/telemetry.ts";
import { parseDuration } from "#core/time/duration.ts";

type NowFlags = ClientFlags & { readonly watch?: string | true };

export function addNowCommand(now: Command, cli: Cli): void {
  const output = new Option("-o, --output <format>", "how to print the answer").choices(["table", "json", "yaml"]);
  addConnectionOptions(now.argument("<device[:attributes]...>", "devices, with attributes or all of them"))
    .addOption(output.default("table"))
    .option("-w, --watch [interval]", "show them again and again (default every 2s)")
    .action(async (words: readonly string[], flags: NowFlags) => {
      const session = await openSession(cli, flags);
      const columns = await session.wait(describeColumns(session.client, parseSeries(words)));
      const interval = watchInterval(flags.watch);
      for (;;) {
        await show(cli, session, { flags, columns, isWatching: interval !== undefined });
        if (interval === undefined) return;
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    });
  addExamples(now, "now battery-1", "now battery-1:soc,power meter-1:power", "now battery-1:power --watch 1s");
}

type Shown = { readonly flags: NowFlags; readonly columns: readonly Column[]; readonly isWatching: boolean };

async function show(cli: Cli, { client, wait }: Session, { flags, columns, isWatching }: Shown): Promise<void> {
  const asked: Record<string, string[]> = Object.create(null);
  for (const { device, attribute } of columns) asked[device] = [...(asked[device] ?? []), attribute];
  if (columns.length === 0) throw new UsageError("the device's blueprint declares no telemetry");
  const answer = await wait(client.telemetry.now(asked));
  // On a terminal the new values stand where the old ones stood.
  if (isWatching && cli.stdout.isTTY === true) cli.stdout.write("\u001b[2J\u001b[H");
  await printTable(cli, flags, { answer, rows: columns, columns: cellsOf(answer) });
  if (flags.output !== "table") return;
  for (const { code, message } of answer.errors) if (code !== "no_data") remark(cli, message);
}

function cellsOf(answer: Now) {
  const found = ({ device, attribute }: Column) => answer.devices[device]?.[attribute];
  return {
    DEVICE: ({ device }: Column) => device,
    ATTRIBUTE: ({ attribute }: Column) => attribute,
    VALUE: (column: Column) => found(column)?.value,
    UNIT: ({ unit }: Column) => unit,
    TIME: (column: Column) => {
      const timestamp = found(column)?.timestamp;
      return timestamp === undefined ? undefined : new Date(timestamp * 1000).toISOString();
    },
  };
}

const DEFAULT_INTERVAL = 2_000;

/** Milliseconds, or undefined when nobody watches. */
function watchInterval(watch: string | true | undefined): number | undefined {
  if (watch === undefined) return undefined;
  const duration = watch === true ? undefined : parseDuration(watch);
  if (watch === true) return DEFAULT_INTERVAL;
  if (duration === undefined || duration < 100_000_000n) {
    throw new UsageError(`--watch must be a duration of at least 100ms, not "${watch}"`);
  }
  return Number(duration / 1_000_000n);
}
