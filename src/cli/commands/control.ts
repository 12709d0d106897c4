import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, type WindowFlags } from "#cli/client-command.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { Claim, Control, ControlRecord, NewClaim } from "#client/resources.ts";

type ClaimFlags = ClientFlags & {
  readonly for?: string;
  readonly reason?: string;
  readonly class?: string;
  readonly min?: boolean;
  readonly max?: boolean;
  readonly takeOver?: boolean;
};

export function addControlCommands(control: Command, cli: Cli): void {
  addExamples(
    control,
    "control show battery",
    "control show battery battery_power",
    'control claim battery battery_power 2500 --for 2h --reason "Peak hours"',
    "control claim battery battery_power unlimited --max",
    "control release battery battery_power",
    "control history battery --since -24h",
  );
  addShow(control, cli);
  addClaim(control, cli);
  addRelease(control, cli);
  addHistory(control, cli);
}

function addShow(control: Command, cli: Cli): void {
  clientCommand(control, "show <device> [control]", "Who controls a device now, why and until when.").action(
    async (device: string, name: string | undefined, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      if (name === undefined) {
        const fetch = (window: Window) => client.controls.list(device, window);
        const list = await wait(suggestDevice(client, device, fetchList("controls", fetch, {})));
        await printTable(cli, flags, { ...list, columns: CONTROLS });
        return;
      }
      const answer = await wait(client.controls.get(device, name));
      await printAnswer(cli, flags, answer, () => describe(answer.control));
    },
  );
}

function addClaim(control: Command, cli: Cli): void {
  clientCommand(control, "claim <device> <control> <value>", "Claim a value or a limit: a number, unlimited or null.")
    .option("--for <duration>", "how long; default 1h for a person, else 1m")
    .option("--reason <text>", "why, for people", "by hand")
    .option("--class <class>", "grid, person, rule, plan or default; default person")
    .option("--min", "the value is the lowest that others may want")
    .option("--max", "the value is the highest that others may want")
    .option("--take-over", "end the claims of the same class that others have")
    .action(async (device: string, name: string, value: string, flags: ClaimFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.controls.claim(device, name, newClaim(value, flags)));
      await printAnswer(cli, flags, answer, () => describe(answer.control));
    });
}

function addRelease(control: Command, cli: Cli): void {
  clientCommand(
    control,
    "release <device> <control> [claim]",
    "Release a claim; without its id, the one that counts now.",
  ).action(async (device: string, name: string, claim: string | undefined, flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const id = claim ?? (await wait(client.controls.get(device, name))).control.winner?.id;
    if (id === undefined) throw new UsageError(`nobody claims a value of ${name}; give the id of a claim`);
    const answer = await wait(client.controls.release(device, name, id));
    await printAnswer(cli, flags, answer, () => describe(answer.control));
  });
}

function addHistory(control: Command, cli: Cli): void {
  addWindowOptions(clientCommand(control, "history <device> [control]", "What controlled a device, newest first."))
    .option("--from, --since <time>", `not before this time: ${TIME_WORDS}`)
    .option("--to, --until <time>", "before this time")
    .action(async (device: string, name: string | undefined, flags: HistoryFlags) => {
      const { client, wait } = await openSession(cli, flags);
      const now = Date.now();
      const query = {
        control: name,
        "at.gte": parseMoment("--since", flags.since, now),
        "at.lt": parseMoment("--until", flags.until, now),
      };
      const fetch = (window: Window) => client.controls.history(device, { ...query, ...window });
      const list = await wait(fetchList("records", fetch, flags));
      await printTable(cli, flags, { ...list, columns: RECORDS });
    });
}

type HistoryFlags = ClientFlags & WindowFlags & { readonly since?: string; readonly until?: string };

function newClaim(text: string, flags: ClaimFlags): NewClaim {
  if (flags.min && flags.max) throw new UsageError("give --min or --max, not both");
  const value = text === "null" ? null : text === "unlimited" ? text : Number(text);
  if (text.trim() === "" || Number.isNaN(value)) throw new UsageError(`"${text}" is no number, unlimited or null`);
  return {
    kind: flags.min ? "min" : flags.max ? "max" : "target",
    value,
    reason: flags.reason ?? "by hand",
    // The server knows the classes.
    ...(flags.class !== undefined && { class: flags.class as NonNullable<NewClaim["class"]> }),
    ...(flags.for !== undefined && { lease: flags.for }),
    ...(flags.takeOver === true && { take_over: true }),
  };
}

const withUnit = (value: number | null, unit: string | null): string | undefined =>
  value === null ? undefined : `${value}${unit === null ? "" : ` ${unit}`}`;

const CONTROLS: Columns<Control> = {
  CONTROL: ({ id }) => id,
  VALUE: ({ value, unit }) => withUnit(value, unit),
  MEASURED: ({ measured, unit }) => withUnit(measured, unit),
  FOLLOWS: ({ follow }) => follow,
  BY: ({ winner }) => winner?.class,
  WHY: ({ winner }) => winner?.reason,
  UNTIL: ({ winner }) => winner?.lease_until,
};

const RECORDS: Columns<ControlRecord> = {
  AT: ({ at }) => at,
  CONTROL: ({ control }) => control,
  VALUE: ({ value }) => (value === null ? "fallback" : String(value)),
  MEASURED: ({ measured }) => (measured === null ? undefined : String(measured)),
  FOLLOWS: ({ follow }) => follow,
  BY: (record) => record.class ?? undefined,
  WHY: ({ reason }) => reason ?? undefined,
};

function describe(control: Control): string {
  const { value, unit, follow, winner, limited_by, losers, is_contradicted } = control;
  return [
    `${control.display_name} (${control.id}): ${withUnit(value, unit) ?? "not controlled"}`,
    ...(value === null ? [] : [`device: ${follow}, measured ${withUnit(control.measured, unit) ?? "nothing"}`]),
    ...(winner === null ? [] : [`by ${describeClaim(winner, unit)}`]),
    ...limited_by.map((claim) => `limited by ${describeClaim(claim, unit)}`),
    ...losers.map((claim) => `not counted: ${describeClaim(claim, unit)}`),
    ...(control.not_confirmed_since === null
      ? []
      : [`not confirmed since ${control.not_confirmed_since}: the gateway is away, and this is what it last reported`]),
    ...(is_contradicted ? ["limits exclude each other; the safe side counts"] : []),
  ].join("\n");
}

function describeClaim(
  { id, kind, value, reason, source, source_name, door, lease_until, ...claim }: Claim,
  unit: string | null,
): string {
  const wanted = typeof value === "number" ? withUnit(value, unit) : String(value);
  return `${claim.class} ${source_name ?? source}${(door ?? null) === null ? "" : ` (${door})`}: ${kind} ${wanted} until ${lease_until} (${reason}) ${id}`;
}
