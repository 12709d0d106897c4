import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import {
  addExamples,
  addWindowOptions,
  clientCommand,
  collect,
  requireId,
  type WindowFlags,
} from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { printRecord, printTable } from "#cli/print.ts";
import { startProgress } from "#cli/progress.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import { pause } from "#client/pause.ts";
import type { Rollout, RolloutDevice } from "#client/resources.ts";

type RolloutFlags = ClientFlags & { readonly rolloutId?: string };
type StartFlags = ClientFlags & {
  readonly name?: string;
  readonly device?: readonly string[];
  readonly siteId?: readonly string[];
  readonly fromBlueprint?: readonly string[];
  readonly type?: readonly string[];
  readonly stages?: string;
  readonly watch?: string;
  readonly within?: string;
  readonly maxFailures?: string;
  readonly follow?: true;
  readonly yes?: true;
};

const LOOK_EVERY_MS = 1_000;

/** A blueprint for many devices, in stages. */
export function addRolloutCommands(rollout: Command, cli: Cli): void {
  addExamples(
    rollout,
    "rollout start NEW_BLUEPRINT --from-blueprint OLD_BLUEPRINT --stages 1,10%,100%",
    "rollout list",
    "rollout watch ROLLOUT",
  );
  addStart(rollout, cli);

  addListCommand(rollout, cli, {
    about: "List roll-outs, newest first.",
    key: "rollouts",
    fetchPage: (client, window) => client.rollouts.list(window),
    columns: COLUMNS,
  });

  withRollout(clientCommand(rollout, "show [rollout]", "Show a roll-out.")).action(
    async (argument: string | undefined, flags: RolloutFlags) => {
      const { client, wait } = await openSession(cli, flags);
      await print(cli, flags, await wait(client.rollouts.get(idOf(argument, flags))));
    },
  );

  addWindowOptions(
    withRollout(clientCommand(rollout, "devices [rollout]", "List the devices of a roll-out, by stage.")),
  )
    .option("--state <state>", "only devices in this state, such as FAILED; may be repeated", collect)
    .action(async (argument: string | undefined, flags: RolloutFlags & WindowFlags & { state?: readonly string[] }) => {
      const { client, wait } = await openSession(cli, flags);
      const id = idOf(argument, flags);
      const list = (window: Window) => client.rollouts.devices(id, { ...window, "state.in": flags.state });
      await printTable(cli, flags, { ...(await wait(fetchList("devices", list, flags))), columns: DEVICE_COLUMNS });
    });

  withRollout(
    clientCommand(rollout, "watch [rollout]", "Follow a roll-out until it ends, or somebody has to act."),
  ).action(async (argument: string | undefined, flags: RolloutFlags) => {
    await follow(cli, flags, { session: await openSession(cli, flags), id: idOf(argument, flags) });
  });

  for (const [turn, about] of [
    ["pause", "Pause a roll-out. What waits at gateways is withdrawn until it is resumed."],
    ["abort", "End a roll-out. What waits at gateways is withdrawn; devices that have got the blueprint keep it."],
  ] as const) {
    withRollout(clientCommand(rollout, `${turn} [rollout]`, about))
      .option("-y, --yes", "do not ask")
      .action(async (argument: string | undefined, flags: RolloutFlags & { yes?: boolean }) => {
        const id = idOf(argument, flags);
        if (turn === "abort") await confirm(cli, flags, `End the roll-out ${id}?`);
        const { client, wait } = await openSession(cli, flags);
        await print(cli, flags, await wait(client.rollouts[turn](id)));
      });
  }

  withRollout(
    clientCommand(
      rollout,
      "resume [rollout]",
      "Resume a roll-out that is paused or halted; devices that have failed are accepted.",
    ),
  )
    .option("--without-away", "leave out the devices of the stage whose gateway is away; also while it runs")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: RolloutFlags & { yes?: boolean; withoutAway?: true }) => {
      const id = idOf(argument, flags);
      const { client, wait } = await openSession(cli, flags);
      await print(cli, flags, await wait(client.rollouts.resume(id, flags.withoutAway ? { without_away: true } : {})));
    });
}

function addStart(rollout: Command, cli: Cli): void {
  const start = clientCommand(rollout, "start <blueprint>", "Give a blueprint to many devices, in stages.")
    .option("-n, --name <name>", "name of the roll-out (default that of the blueprint)")
    .option("--device <device>", "this device, by id or slug; may be repeated", collect)
    .option("--site-id <site>", "devices of this site; may be repeated", collect)
    .option("--from-blueprint <id>", "devices that have this blueprint now; may be repeated", collect)
    .option("--type <type>", "devices of this type, such as LUA; may be repeated", collect)
    .option("--stages <stages>", "how many devices have it after each stage (default 1,10%,100%)")
    .option("--watch <duration>", "how long a device must run without trouble (default 10m)")
    .option("--within <duration>", "how long a device may take to get it (default 1h)")
    .option("--max-failures <count>", "stop when more devices than this have failed (default 0)")
    .option("-f, --follow", "follow it until it ends")
    .option("-y, --yes", "do not ask")
    .action(async (blueprintId: string, flags: StartFlags) => {
      const devices = {
        ...(flags.device !== undefined && { device_ids: flags.device }),
        ...(flags.siteId !== undefined && { site_ids: flags.siteId }),
        ...(flags.fromBlueprint !== undefined && { blueprint_ids: flags.fromBlueprint }),
        ...(flags.type !== undefined && { types: flags.type }),
      };
      if (Object.keys(devices).length === 0) {
        throw new UsageError("say which devices: --device, --site-id, --from-blueprint or --type");
      }
      await confirm(cli, flags, `Give the blueprint ${blueprintId} to all these devices?`);
      const session = await openSession(cli, flags);
      const made = await session.wait(
        session.client.rollouts.create({
          blueprint_id: blueprintId,
          devices,
          ...(flags.name !== undefined && { name: flags.name }),
          ...(flags.stages !== undefined && { stages: flags.stages.split(",").map((stage) => stage.trim()) }),
          ...(flags.watch !== undefined && { watch: flags.watch }),
          ...(flags.within !== undefined && { timeout: flags.within }),
          ...(flags.maxFailures !== undefined && { max_failures: Number(flags.maxFailures) }),
        }),
      );
      if (flags.follow) await follow(cli, flags, { session, id: made.id });
      else await print(cli, flags, made);
    });
  addExamples(start, "rollout start NEW_BLUEPRINT --from-blueprint OLD_BLUEPRINT --watch 30m --follow");
}

/** Prints every change; returns when the roll-out is done or needs a decision. */
async function follow(
  cli: Cli,
  flags: ClientFlags,
  { session, id }: { readonly session: Session; readonly id: string },
): Promise<void> {
  const progress = startProgress(cli, "roll-out");
  let printed = "";
  try {
    for (;;) {
      const rollout = await session.client.rollouts.get(id);
      const line = describe(rollout);
      if (line !== printed) progress.say(line);
      printed = line;
      progress.relabel(line);
      if (rollout.state !== "RUNNING") {
        progress.stop();
        await print(cli, flags, rollout);
        if (rollout.state === "HALTED" || rollout.state === "ABORTED") throw new QuietFailure(EXIT.failure);
        return;
      }
      await pause(LOOK_EVERY_MS);
    }
  } finally {
    progress.stop();
  }
}

function describe({ state, stage, stages, devices }: Rollout): string {
  const { total, done, watched, assigning, failed, away } = devices;
  const waiting = away > 0 ? `, ${away} wait for their gateway` : "";
  return `${state} stage ${stage} of ${stages.length}: ${done} of ${total} done, ${watched} watched, ${assigning} being assigned, ${failed} failed${waiting}`;
}

const withRollout = (command: Command) => command.option("--rollout-id <id>", "the roll-out, if not given as argument");
const idOf = (argument: string | undefined, flags: RolloutFlags) => requireId("rollout", argument, flags.rolloutId);

async function print(cli: Cli, flags: ClientFlags, rollout: Rollout): Promise<void> {
  const { devices } = rollout;
  const fields = {
    id: rollout.id,
    name: rollout.name,
    blueprint: rollout.blueprint_id,
    state: rollout.state,
    ...(rollout.reason === null ? {} : { reason: rollout.reason }),
    stage: `${rollout.stage} of ${rollout.stages.length} (${rollout.stages.join(", ")} devices)`,
    devices: Object.entries(devices)
      .filter(([name, count]) => count > 0 || name === "total")
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
    started: `${rollout.created_at} by ${rollout.created_by}`,
  };
  await printRecord(cli, flags, { answer: { rollout }, fields });
}

const COLUMNS = {
  ID: ({ id }: Rollout) => id,
  NAME: ({ name }: Rollout) => name,
  STATE: ({ state }: Rollout) => state,
  STAGE: ({ stage, stages }: Rollout) => `${stage}/${stages.length}`,
  DONE: ({ devices }: Rollout) => `${devices.done}/${devices.total}`,
  FAILED: ({ devices }: Rollout) => String(devices.failed),
  CREATED: ({ created_at }: Rollout) => created_at,
};

const DEVICE_COLUMNS = {
  DEVICE: ({ device_id }: RolloutDevice) => device_id,
  SITE: ({ site_id }: RolloutDevice) => site_id,
  STAGE: ({ stage }: RolloutDevice) => String(stage),
  STATE: ({ state }: RolloutDevice) => state,
  SINCE: ({ since }: RolloutDevice) => since,
  REASON: ({ reason }: RolloutDevice) => reason ?? "",
};
