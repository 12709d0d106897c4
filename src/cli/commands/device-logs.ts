import { styleText } from "node:util";
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, collect, type WindowFlags } from "#cli/client-command.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, remark, remarkRest } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import type { ClientFlags, Session } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { UsageError } from "#cli/usage-error.ts";
import { listAll } from "#client/list-all.ts";
import type { DeviceLogEntry } from "#client/resources.ts";
import { LOG_SEVERITIES, type LogSeverity } from "#core/device/device-message.ts";
import { printable } from "#core/text/printable.ts";

export type LogFlags = ClientFlags &
  WindowFlags & {
    readonly follow?: boolean;
    readonly severity?: readonly string[];
    readonly since?: string;
    readonly until?: string;
    readonly show?: "ALL" | "PERSISTED_ONLY" | "TEMPORARY_ONLY";
  };

/** An event has all of an entry except whether it is kept. */
type Entry = Omit<DeviceLogEntry, "persist"> & { readonly persist?: boolean };

export function addLogOptions(command: Command): Command {
  addWindowOptions(command)
    .option("-f, --follow", "then print what the device writes from now on")
    .option("--severity <severities>", `only these: ${LOG_SEVERITIES.join(", ")}`, collect)
    .option("--from, --since <time>", `not before this time: ${TIME_WORDS}`)
    .option("--to, --until <time>", "before this time")
    .addOption(
      new Option("--show <kind>", "whether entries are kept for long").choices([
        "ALL",
        "PERSISTED_ONLY",
        "TEMPORARY_ONLY",
      ]),
    );
  return addExamples(
    command,
    "device logs battery-1",
    "device logs battery-1 -f --severity warning,error",
    "device logs battery-1 --since -1h --limit 1000 -o json",
  );
}

/** The latest entries in the order of time, and with --follow those that come. */
export async function showLogs(
  cli: Cli,
  session: Session,
  { id, flags }: { id: string; flags: LogFlags },
): Promise<void> {
  const { client, wait } = session;
  const now = Date.now();
  const filter = {
    severity: flags.severity?.map(parseSeverity),
    received_at_from: parseMoment("--since", flags.since, now),
    received_at_to: parseMoment("--until", flags.until, now),
    show: flags.show,
  };
  const latest = async () => {
    const window = { limit: flags.limit, offset: flags.offset, order: "RECEIVED_AT_DESC" as const };
    const page = await wait(suggestDevice(client, id, client.devices.logs(id, { ...filter, ...window })));
    return { ...page, logs: page.logs.toReversed() };
  };
  if (flags.follow !== true) {
    const answer = await latest();
    await printAnswer(cli, flags, answer, (colour) =>
      answer.logs.map((entry) => renderEntry(entry, colour)).join("\n"),
    );
    remarkRest(cli, flags, { shown: answer.logs.length, total: answer.total_count });
    return;
  }
  if (flags.until !== undefined || flags.show !== undefined)
    throw new UsageError("--follow shows everything that comes: leave --until and --show out");

  const print = await createPrinter(cli, flags);
  const { device } = await wait(suggestDevice(client, id, client.devices.get(id)));
  let last: string | undefined;
  const show = (entry: Entry) => {
    if (last !== undefined && entry.received_at <= last) return;
    last = entry.received_at;
    print(entry, (colour) => renderEntry(entry, colour));
  };
  const isWanted = ({ severity }: Entry) => filter.severity?.includes(severity) ?? true;
  // Connected first and read then, so that nothing falls between the two.
  for await (const event of client.events({ "kind.in": ["log"], "device_id.in": [device.id] })) {
    if (event.kind === "log") {
      const { log, timestamp, received_at } = event;
      const entry = { timestamp, received_at, ...log };
      if (isWanted(entry)) show(entry);
    } else if ((event.kind === "open" || event.kind === "gap") && last === undefined) {
      for (const entry of (await latest()).logs) show(entry);
    } else if (event.kind === "gap") {
      const missed = { severity: filter.severity, received_at_from: last };
      for await (const entry of listAll("logs", (window) => client.devices.logs(id, { ...missed, ...window })))
        show(entry);
    } else if (event.kind === "lost") remark(cli, "the connection is lost; trying again");
  }
}

function renderEntry({ received_at, severity, message }: Entry, colour: boolean): string {
  const word = severity.toUpperCase().padEnd("WARNING".length);
  const shown = colour ? styleText(COLOURS[severity], word, { validateStream: false }) : word;
  return `${received_at}  ${shown}  ${printable(message)}`;
}

const COLOURS = { debug: "dim", info: "green", warning: "yellow", error: "red" } as const;

function parseSeverity(text: string): LogSeverity {
  const found = LOG_SEVERITIES.find((one) => one === text.toLowerCase());
  if (found === undefined) throw new UsageError(`"${text}" is not a severity; they are ${LOG_SEVERITIES.join(", ")}`);
  return found;
}
