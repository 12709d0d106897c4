import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import { addBulkOptions, type BulkFlags, bulkSettings } from "#cli/bulk-flags.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { guessInputs } from "#cli/input/guess-inputs.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, printRecord, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { CommandSchedule, NewCommandSchedule, ScheduleRun } from "#client/resources.ts";

type AddFlags = ClientFlags &
  BulkFlags & {
    readonly name?: string;
    readonly at?: string;
    readonly cron?: string;
    readonly daily?: string;
    readonly days?: readonly string[];
    readonly except?: readonly string[];
    readonly only?: readonly string[];
    readonly timezone?: string;
    readonly missed?: "skip" | "run_late";
    readonly lateWithin?: string;
    readonly disabled?: boolean;
  };

/** Commands that run at a time or by a schedule. */
export function addScheduleCommands(schedule: Command, cli: Cli): void {
  addExamples(
    schedule,
    'schedule add restart --device battery-1 --cron "30 2 * * 1" --timezone Europe/Berlin',
    "schedule list",
    "schedule runs SCHEDULE",
  );
  addAdd(schedule, cli);

  addListCommand(schedule, cli, {
    about: "List scheduled commands, by name.",
    key: "schedules",
    fetchPage: (client, window) => client.schedules.list(window),
    columns: COLUMNS,
  });

  clientCommand(schedule, "show <schedule>", "Show a scheduled command.").action(
    async (id: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      await print(cli, flags, (await wait(client.schedules.get(id))).schedule);
    },
  );

  addWindowOptions(clientCommand(schedule, "runs <schedule>", "List what became of its times, newest first.")).action(
    async (id: string, flags: ClientFlags & WindowFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const list = (window: Window) => client.schedules.runs(id, window);
      await printTable(cli, flags, { ...(await wait(fetchList("runs", list, flags))), columns: RUN_COLUMNS });
    },
  );

  for (const [word, isEnabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    clientCommand(
      schedule,
      `${word} <schedule>`,
      isEnabled ? "Let it run again." : "Let it run no more for now.",
    ).action(async (id: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const { revision } = (await wait(client.schedules.get(id))).schedule;
      await print(cli, flags, (await wait(client.schedules.update(id, { revision, is_enabled: isEnabled }))).schedule);
    });
  }

  clientCommand(schedule, "remove <schedule>", "Delete a scheduled command. What it has begun goes on.")
    .option("-y, --yes", "do not ask")
    .action(async (id: string, flags: ClientFlags & { readonly yes?: boolean }) => {
      await confirm(cli, flags, `Delete the schedule ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.schedules.delete(id)), () => `${id} is deleted.`);
    });
}

function addAdd(schedule: Command, cli: Cli): void {
  const add = addBulkOptions(
    clientCommand(schedule, "add <command> [arguments...]", "Schedule a command for one device or for many."),
  )
    .option("-n, --name <name>", "name of the schedule (default that of the command)")
    .option("--at <time>", `once, at this time: ${TIME_WORDS}`)
    .option("--cron <expression>", 'again and again: minute hour day month weekday, such as "30 2 * * 1"')
    .option("--daily <time>", "each day at this time: 07:30, or by the sun of the site: sunrise, sunset-30m")
    .option("--days <day...>", "of --daily: mon to sun (default every day)")
    .option("--except <calendar...>", "calendars of the site: not while one of them is on")
    .option("--only <calendar...>", "calendars of the site: only while one of them is on")
    .option("--timezone <zone>", "of --cron and --daily (default that of the first device's site)")
    .option("--missed <rule>", "a time at which nothing ran: skip (default) or run_late")
    .option("--late-within <duration>", "run_late: for so long (default 1h, at most 7d)")
    .option("--disabled", "do not let it run yet")
    .action(async (command: string, words: readonly string[], flags: AddFlags) => {
      if ([flags.at, flags.cron, flags.daily].filter((one) => one !== undefined).length !== 1)
        throw new UsageError("give either --at, --cron or --daily");
      const session = await openSession(cli, flags);
      const values = await guessInputs(cli, words);
      const bulk = { name: command, arguments: values, ...(await bulkSettings(session, flags)) };
      const at = parseMoment("--at", flags.at, Date.now());
      const made = session.client.schedules.create({
        name: flags.name ?? command,
        bulk,
        ...(at !== undefined && { at }),
        ...(flags.cron !== undefined && { cron: flags.cron }),
        ...(flags.daily !== undefined && { daily: dailyOf(flags.daily, flags.days) }),
        ...(flags.except !== undefined && { except: flags.except }),
        ...(flags.only !== undefined && { only: flags.only }),
        ...(flags.timezone !== undefined && { timezone: flags.timezone }),
        ...(flags.missed !== undefined && { missed: flags.missed }),
        ...(flags.lateWithin !== undefined && { late_within: flags.lateWithin }),
        ...(flags.disabled === true && { is_enabled: false }),
      });
      await print(cli, flags, (await session.wait(made)).schedule);
    });
  addExamples(
    add,
    "schedule add close_blinds --device roof --daily sunset-30m --days sat sun --except holidays",
    'schedule add restart --device battery-1 --cron "30 2 * * 1" --missed run_late --late-within 2h',
    "schedule add set_mode mode=eco --site Plant --profile energy.battery --at +2h",
  );
}

async function print(cli: Cli, flags: ClientFlags, schedule: CommandSchedule): Promise<void> {
  const fields = {
    id: schedule.id,
    name: schedule.name,
    command: String(schedule.bulk["name"]),
    when: whenOf(schedule),
    next: schedule.next_at ?? (schedule.is_enabled ? "never" : "disabled"),
    missed: schedule.missed,
    "runs as": schedule.owner,
    revision: String(schedule.revision),
  };
  await printRecord(cli, flags, { answer: { schedule }, fields });
}

type Daily = NonNullable<NewCommandSchedule["daily"]>;

function dailyOf(at: string, days: readonly string[] | undefined): Daily {
  // The server checks the words.
  return days === undefined ? { at } : { at, days: days as NonNullable<Daily["days"]> };
}

function whenOf({ at, cron, daily, except, only, timezone }: CommandSchedule): string {
  const days = daily?.days == null ? "" : ` on ${daily.days.join(", ")}`;
  const when = cron ?? (daily === null ? undefined : `${daily.at}${days}`);
  const calendars = [
    ...(except.length > 0 ? [`except ${except.join(", ")}`] : []),
    ...(only.length > 0 ? [`only ${only.join(", ")}`] : []),
  ];
  return [when === undefined ? (at ?? "") : `${when} (${timezone})`, ...calendars].join(", ");
}

const COLUMNS = {
  ID: ({ id }: CommandSchedule) => id,
  NAME: ({ name }: CommandSchedule) => name,
  COMMAND: ({ bulk }: CommandSchedule) => String(bulk["name"]),
  WHEN: whenOf,
  NEXT: ({ next_at, is_enabled }: CommandSchedule) => next_at ?? (is_enabled ? "never" : "disabled"),
};

const RUN_COLUMNS = {
  DUE: ({ due_at }: ScheduleRun) => due_at,
  OUTCOME: ({ outcome }: ScheduleRun) => outcome,
  BULK: ({ bulk_id }: ScheduleRun) => bulk_id ?? "",
  WHY: ({ reason }: ScheduleRun) => reason ?? "",
};
