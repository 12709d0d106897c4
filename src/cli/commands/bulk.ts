import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import { addBulkOptions, type BulkFlags, bulkSettings } from "#cli/bulk-flags.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, collect, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { guessInputs } from "#cli/input/guess-inputs.ts";
import { printRecord, printTable } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import type { Window } from "#client/page.ts";
import { pause } from "#client/pause.ts";
import type { BulkCommand, BulkDevice, BulkDryRun } from "#client/resources.ts";

type RunFlags = ClientFlags & BulkFlags & { readonly wait: boolean; readonly dryRun?: boolean; readonly yes?: boolean };

const LOOK_EVERY_MS = 500;

/** One command for many devices. */
export function addBulkCommands(bulk: Command, cli: Cli): void {
  addExamples(
    bulk,
    "bulk run restart --site Plant --profile energy.battery --rate 2 --stop-after 3",
    "bulk devices BULK --state FAILED",
    "bulk cancel BULK",
  );
  addRun(bulk, cli);

  addListCommand(bulk, cli, {
    about: "List bulk commands, newest first.",
    key: "bulks",
    fetchPage: (client, window) => client.bulk.list(window),
    columns: COLUMNS,
  });

  clientCommand(bulk, "show <bulk>", "Show a bulk command.").action(async (id: string, flags: ClientFlags) => {
    const { client, wait } = await openSession(cli, flags);
    await print(cli, flags, (await wait(client.bulk.get(id))).bulk);
  });

  addWindowOptions(clientCommand(bulk, "devices <bulk>", "List what became of each device."))
    .option("--state <states>", "only these states, such as FAILED,REFUSED", collect)
    .action(async (id: string, flags: ClientFlags & WindowFlags & { state?: readonly BulkDevice["state"][] }) => {
      const { client, wait } = await openSession(cli, flags);
      const list = (window: Window) => client.bulk.devices(id, { ...window, "state.in": flags.state });
      await printTable(cli, flags, { ...(await wait(fetchList("devices", list, flags))), columns: DEVICE_COLUMNS });
    });

  clientCommand(bulk, "watch <bulk>", "Follow a bulk command until its last device is done.").action(
    async (id: string, flags: ClientFlags) => await follow(cli, flags, { session: await openSession(cli, flags), id }),
  );

  clientCommand(bulk, "cancel <bulk>", "Begin no further device, and cancel what can be cancelled.").action(
    async (id: string, flags: ClientFlags) => {
      const { client, wait } = await openSession(cli, flags);
      await print(cli, flags, (await wait(client.bulk.cancel(id))).bulk);
    },
  );
}

function addRun(bulk: Command, cli: Cli): void {
  const run = addBulkOptions(
    clientCommand(bulk, "run <command> [arguments...]", "Run a command on many devices, and follow it."),
  )
    .option("--dry-run", "run nothing: show what would become of each device")
    .option("--no-wait", "do not follow it; print its id")
    .option("-y, --yes", "do not ask")
    .addHelpText("after", "\nExit codes: 0 every device succeeded, 1 not every device did.")
    .action(async (name: string, words: readonly string[], flags: RunFlags) => {
      const session = await openSession(cli, flags);
      const input = { name, arguments: await guessInputs(cli, words), ...(await bulkSettings(session, flags)) };
      if (flags.dryRun === true) {
        const answer = await session.wait(session.client.bulk.dryRun(input));
        return await printTable(cli, flags, { answer, rows: answer.devices, columns: TRIED_COLUMNS });
      }
      await confirm(cli, flags, `Run ${name} on all these devices?`);
      const call = { idempotencyKey: randomUUID() };
      const { bulk: made } = await session.wait(session.client.bulk.create(input, call));
      if (flags.wait) await follow(cli, flags, { session, id: made.id });
      else await print(cli, flags, made);
    });
  addExamples(
    run,
    "bulk run set_mode mode=eco --device battery-1,battery-2",
    "bulk run restart --site Plant --profile energy.battery --rate 2 --parallel 5 --stop-after 3 --yes",
    "bulk run restart --blueprint BLUEPRINT_ID --dry-run",
  );
}

/** A line of progress while it runs. */
async function follow(
  cli: Cli,
  flags: ClientFlags,
  { session, id }: { readonly session: Session; readonly id: string },
): Promise<void> {
  const progress = startProgress(cli, "bulk command");
  try {
    for (;;) {
      const { bulk } = await session.client.bulk.get(id);
      progress.relabel(describe(bulk));
      if (bulk.ended_at !== null) {
        progress.stop();
        await print(cli, flags, bulk);
        if (bulk.devices.success < bulk.devices.total) throw new QuietFailure(EXIT.failure);
        return;
      }
      await pause(LOOK_EVERY_MS);
    }
  } finally {
    progress.stop();
  }
}

function describe({ state, devices }: BulkCommand): string {
  const { total, success, running, failed, refused } = devices;
  return `${state}: ${success} of ${total} succeeded, ${running} run, ${failed + refused} failed`;
}

async function print(cli: Cli, flags: ClientFlags, bulk: BulkCommand): Promise<void> {
  const fields = {
    id: bulk.id,
    command: bulk.name,
    state: bulk.state,
    ...(bulk.reason === null ? {} : { reason: bulk.reason }),
    devices: Object.entries(bulk.devices)
      .filter(([name, count]) => count > 0 || name === "total")
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
    started: `${bulk.created_at} by ${bulk.created_by}`,
    ...(bulk.ended_at === null ? {} : { ended: bulk.ended_at }),
  };
  await printRecord(cli, flags, { answer: { bulk }, fields });
}

const COLUMNS = {
  ID: ({ id }: BulkCommand) => id,
  COMMAND: ({ name }: BulkCommand) => name,
  STATE: ({ state }: BulkCommand) => state,
  SUCCEEDED: ({ devices }: BulkCommand) => `${devices.success}/${devices.total}`,
  FAILED: ({ devices }: BulkCommand) => String(devices.failed + devices.refused),
  CREATED: ({ created_at }: BulkCommand) => created_at,
};

const DEVICE_COLUMNS = {
  DEVICE: ({ device }: BulkDevice) => device,
  STATE: ({ state }: BulkDevice) => state,
  EXECUTION: ({ execution_id }: BulkDevice) => execution_id ?? "",
  WHY: ({ code, message }: BulkDevice) => [code, message].filter((one) => one !== null).join(": "),
};

const TRIED_COLUMNS = {
  DEVICE: ({ device }: BulkDryRun) => device,
  "WOULD RUN": ({ dry_run }: BulkDryRun) => (dry_run === null ? "no" : "yes"),
  REACHABLE: ({ dry_run }: BulkDryRun) => (dry_run === null ? "" : dry_run.is_reachable ? "yes" : "no"),
  ARGUMENTS: ({ dry_run }: BulkDryRun) => (dry_run === null ? "" : JSON.stringify(dry_run.arguments)),
  WHY: ({ message }: BulkDryRun) => message ?? "",
};
