import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addFollowOptions, clientCommand, type FollowFlags, requireId } from "#cli/client-command.ts";
import { addExecutionListCommand } from "#cli/commands/execution-list.ts";
import { followToEnd, printOutcome } from "#cli/execution/follow-to-end.ts";
import { printExecution } from "#cli/execution/print-execution.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer } from "#cli/print.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Execution } from "#client/resources.ts";

const DEVICE = "id or slug of the device";
const EXECUTION = "id of the execution; without it the device's latest one";

export function addExecutionCommands(execution: Command, cli: Cli): void {
  addExamples(
    execution,
    "execution list battery-1 --state ERROR,TIMEOUT --since -1d",
    'execution list --site "Plant 1" --profile energy.battery',
    "execution get battery-1",
    "execution watch battery-1 EXECUTION_ID",
  );
  addExecutionListCommand(execution, cli);

  const get = clientCommand(execution, "get", "Show one execution with all that the device answered.")
    .argument("[device]", DEVICE)
    .argument("[execution]", EXECUTION)
    .addOption(new Option("--expand <parts>", "log adds all responses; tables always have them").choices(["log"]))
    .action(
      async (device: string | undefined, id: string | undefined, flags: ClientFlags & { readonly expand?: "log" }) => {
        const deviceId = requireId("device", device, undefined);
        const session = await openSession(cli, flags);
        const executionId = id ?? (await latestOf(session, deviceId)).id;
        const expand = isForPeople(flags.output) || flags.expand === "log" ? (["log"] as const) : undefined;
        await printExecution(
          cli,
          flags,
          await session.wait(session.client.commands.get(deviceId, executionId, { expand })),
        );
      },
    );
  addExamples(get, "execution get battery-1", "execution get battery-1 EXECUTION_ID --expand log -o json");

  const cancel = clientCommand(execution, "cancel", "Cancel an execution that waits, or ask the device to end it.")
    .argument("[device]", DEVICE)
    .argument("[execution]", EXECUTION)
    .action(async (device: string | undefined, id: string | undefined, flags: ClientFlags) => {
      const deviceId = requireId("device", device, undefined);
      const session = await openSession(cli, flags);
      const executionId = id ?? (await latestOf(session, deviceId)).id;
      const answer = await session.wait(session.client.commands.cancel(deviceId, executionId));
      const { cancelling } = answer;
      await printAnswer(cli, flags, answer, () =>
        cancelling === undefined
          ? `${executionId} is cancelled: the device never got it.`
          : `The device was asked by ${cancelling.request.name}. Follow it with: busbar execution watch ${deviceId} ${executionId}`,
      );
    });
  addExamples(cancel, "execution cancel battery-1", "execution cancel battery-1 EXECUTION_ID");

  const following = (name: string, about: string, isLive: boolean): Command =>
    addFollowOptions(execution.command(name).description(about), "stop after this long; without it at the end only")
      .argument("[device]", DEVICE)
      .argument("[execution]", EXECUTION)
      .addHelpText("after", "\nExit codes: 0 success, 6 device error, 7 not in time, 8 outcome unknown.")
      .action(async (device: string | undefined, id: string | undefined, flags: FollowFlags) => {
        const deviceId = requireId("device", device, undefined);
        const { timeout, ...rest } = flags;
        const session = await openSession(cli, rest);
        const executionId = id ?? (await latestOf(session, deviceId)).id;
        const place = { deviceId, executionId, label: `${deviceId} ${executionId}`, isLive, timeout };
        await printOutcome(cli, rest, await followToEnd(cli, session, place));
      });
  addExamples(
    following("watch", "Follow an execution to its end, with every response as it comes.", true),
    "execution watch battery-1",
    "execution watch battery-1 EXECUTION_ID --timeout 10m",
  );
  addExamples(
    following("wait", "Wait for the end of an execution without a word.", false),
    "execution wait battery-1 EXECUTION_ID && echo done",
  );
}

async function latestOf({ client, wait }: Session, device: string): Promise<Execution> {
  const filter = { limit: 1, order: "CREATED_AT_DESC", retention: "ALL" } as const;
  const [latest] = (await wait(client.commands.list(device, filter))).executions;
  if (latest === undefined) throw new UsageError(`${device} has no executions that you can see`);
  return latest;
}
