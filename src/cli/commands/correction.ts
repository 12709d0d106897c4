import { type Command, InvalidArgumentError, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { parseTime } from "#cli/parse-time.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import type { CounterCorrection } from "#client/resources.ts";
import type { CorrectionKind } from "#core/energy/counter-correction.ts";

const KINDS = {
  "counter-replaced": "counter_replaced",
  "value-wrong": "value_wrong",
  accept: "accept",
} as const satisfies Readonly<Record<string, CorrectionKind>>;

type CreateFlags = ClientFlags & {
  readonly as: keyof typeof KINDS;
  readonly newStart?: number;
  readonly note?: string;
  readonly yes?: boolean;
};

export function addCorrectionCommands(correction: Command, cli: Cli): void {
  addExamples(
    correction,
    'energy "Demo site" --day yesterday',
    "correction create meter-1 grid_energy_import TIME --as value-wrong",
    "correction list meter-1",
    "correction delete meter-1 CORRECTION_ID",
  );
  addCreateCommand(correction, cli);
  addWindowOptions(
    clientCommand(correction, "list <device>", "List the corrections of a device, with author and time."),
  ).action(async (device: string, flags: ClientFlags & WindowFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const list = await wait(fetchList("corrections", (window) => client.devices.corrections(device, window), flags));
    await printTable(cli, flags, { ...list, columns: COLUMNS });
  });
  const about = "Withdraw a correction. Energies are again those that the points give.";
  clientCommand(correction, "delete <device> <correction>", about)
    .option("-y, --yes", "do not ask")
    .action(async (device: string, id: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Withdraw the correction ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.devices.withdrawCorrection(device, id)), () => `withdrew ${id}`);
    });
}

function addCreateCommand(correction: Command, cli: Cli): void {
  const create = clientCommand(
    correction,
    "create <device> <attribute> <time>",
    "Say what a doubtful step was. `busbar energy SITE` lists them. Points stay as they are.",
  )
    .addOption(
      new Option(
        "--as <kind>",
        "counter-replaced: another counter counts from there on; value-wrong: what the step counted never flowed; accept: it is right",
      )
        .choices(Object.keys(KINDS))
        .makeOptionMandatory(),
    )
    .option(
      "--new-start <reading>",
      "what a new counter showed when it was installed (default the value after the step)",
      parseReading,
    )
    .option("--note <text>", "why, for people")
    .option("-y, --yes", "do not ask")
    .action(async (device: string, attribute: string, time: string, flags: CreateFlags) => {
      const at = new Date(parseTime("time", time, Date.now())).toISOString();
      await confirm(cli, flags, `Energies that contain ${device} ${attribute} at ${at} will change. Go on?`);
      const { client, wait } = await openSession(cli, flags);
      const { as, newStart, note } = flags;
      const wanted = {
        attribute,
        at,
        kind: KINDS[as],
        ...(newStart !== undefined && { new_start: newStart }),
        ...(note !== undefined && { note }),
      };
      const answer = await wait(client.devices.correctCounter(device, wanted));
      const { id, before, value } = answer.correction;
      await printAnswer(cli, flags, answer, () => `corrected the step from ${before} to ${value}: ${id}`);
    });
  addExamples(
    create,
    "correction create meter-1 grid_energy_import TIME --as value-wrong --yes",
    'correction create meter-1 grid_energy_import TIME --as counter-replaced --new-start 12.5 --note "new meter"',
    "correction create pv-1 ac_energy_total TIME --as accept",
  );
}

function parseReading(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("It must be a number.");
  return value;
}

const COLUMNS: Columns<CounterCorrection> = {
  ID: ({ id }) => id,
  ATTRIBUTE: ({ attribute }) => attribute,
  AT: ({ at }) => at,
  BEFORE: ({ before }) => String(before),
  AFTER: ({ value }) => String(value),
  KIND: ({ kind }) => kind,
  "NEW START": ({ new_start }) => (new_start === null ? undefined : String(new_start)),
  AUTHOR: ({ author }) => author.name,
  CREATED: ({ created_at }) => created_at,
  NOTE: ({ note }) => note ?? undefined,
};
