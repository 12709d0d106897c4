import type { Command as Verb } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addFollowOptions, type FollowFlags, requireId } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { createExecution } from "#cli/execution/create-execution.ts";
import { followToEnd, printOutcome } from "#cli/execution/follow-to-end.ts";
import { renderDryRun } from "#cli/execution/render-dry-run.ts";
import { askInput } from "#cli/input/ask-input.ts";
import { showValues, type Values } from "#cli/input/describe-input.ts";
import { gatherInputs } from "#cli/input/gather-inputs.ts";
import { prefill } from "#cli/input/prefill.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { readDeviceBlueprint } from "#cli/read-device-blueprint.ts";
import { openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { CommandInput, Device } from "#client/resources.ts";
import type { Command } from "#core/blueprint/blueprint.ts";
import { findCommand } from "#core/command/plan-command.ts";
import { checkInputs } from "#core/value/check-inputs.ts";

type RunFlags = FollowFlags & {
  readonly args?: string;
  readonly prefill?: boolean;
  readonly yes?: boolean;
  readonly wait: boolean;
  readonly ephemeral?: boolean;
  readonly dryRun?: boolean;
};

type Target = { readonly device: Device; readonly command: Command };

export function addRunCommand(run: Verb, cli: Cli): void {
  run.argument("[device]", "id or slug of the device").argument("[command]", "name of the command, or an alias");
  run.argument("[arguments...]", "key=value each; see below").usage("DEVICE COMMAND [key=value...] [options]");
  addFollowOptions(run, "stop waiting after this long; without it only the device's silence ends the wait")
    .option("--args <json>", "all arguments at once: a JSON object, or a file that holds one (- is standard input)")
    .option("--prefill", "first run the command that reads the present values, and send those that are not given")
    .option("-y, --yes", "do not ask for a confirmation")
    .option("--no-wait", "do not wait for the device; print the execution's id")
    .option("--ephemeral", "keep the execution out of lists, and delete it after 24 hours")
    .option("--dry-run", "run nothing: show what would be sent, what would be claimed and who would win")
    .addHelpText("after", FORMS)
    .action(async (device: string | undefined, name: string | undefined, words: readonly string[], flags: RunFlags) => {
      const id = requireId("device", device, undefined);
      if (name === undefined) throw new UsageError(`which command? busbar command list ${id} shows them`);
      const { timeout, ...rest } = flags;
      const session = await openSession(cli, rest);
      const described = await readDeviceBlueprint(session, id);
      const target = { device: described.device, command: findCommand(described.blueprint, name) };
      const values = await readArguments(cli, session, { ...target, words, flags });
      if (flags.dryRun === true)
        return await printDryRun(cli, session, { flags, target, input: { name, arguments: values } });
      await confirmRun(cli, flags, { ...target, values });
      if (target.device.connectivity?.status === "OFFLINE")
        remark(cli, `${target.device.slug} is offline: the command waits for it, but not for long`);
      const input = { name, arguments: values, ephemeral: flags.ephemeral };
      const executionId = await createExecution(session, target.device.id, input);
      const place = { deviceId: target.device.id, executionId, label: `${target.device.slug} ${name}`, isLive: true };
      if (flags.wait) await printOutcome(cli, rest, await followToEnd(cli, session, { ...place, timeout }));
      else await printCreated(cli, flags, { device: target.device, executionId });
    });
  addExamples(
    run,
    "run battery-1 set_charge_power power=5.5",
    "run inverter-1 set_grid_code --prefill limit=0.7",
    "run gateway-1 join_wifi ssid=Plant password          asks for the password",
    "run electrolyser-1 start --yes -o json | jq .execution.response.payload",
    "run charger-1 update_firmware --no-wait",
  );
}

async function printDryRun(
  cli: Cli,
  { client, wait }: Session,
  {
    flags,
    target,
    input,
  }: { readonly flags: RunFlags; readonly target: Target; readonly input: Pick<CommandInput, "name" | "arguments"> },
): Promise<void> {
  const answer = await wait(client.commands.dryRun(target.device.id, input));
  await printAnswer(cli, flags, answer, (colour) => renderDryRun(answer.dry_run, target.device.slug, colour));
}

const FORMS = `
Arguments are typed by the device's manifest before anything is sent:
  power=5.5        a value; lists as a,b and booleans as true, false, on, off
  plan:='{"a":1}'  JSON as it is
  script=@FILE     the content of a file (@- is standard input)
  password         asks for it, and does not show it if it is sensitive
busbar command get DEVICE COMMAND explains them. At a terminal, required ones that are missing are asked for.

Exit codes: 0 done, 6 the device answered with an error, 7 it did not answer in time, 8 the outcome is unknown.`;

/** What is sent: what was given over what was read before, everything checked as the server does. */
async function readArguments(
  cli: Cli,
  session: Session,
  { device, command, words, flags }: Target & { readonly words: readonly string[]; readonly flags: RunFlags },
): Promise<Values> {
  const inputs = command.arguments;
  const given = await gatherInputs(cli, inputs, { words, args: flags.args });
  const present = flags.prefill === true ? await prefill(cli, session, { device, command, given }) : {};
  const values: Record<string, unknown> = Object.assign(Object.create(null), present, given);
  // Known problems come first: nobody should answer questions only to be refused.
  const { problems } = checkInputs(inputs, values, () => undefined);
  const wrong = problems.filter(({ name }) => Object.hasOwn(values, name));
  if (wrong.length === 0 && cli.ask !== undefined) {
    for (const { name } of problems) {
      const input = inputs.get(name);
      if (input !== undefined) values[name] = await askInput(cli, input);
    }
    return values;
  }
  if (problems.length === 0) return values;
  const lines = problems.map(({ message }) => `  ${message}`);
  const help = `  busbar command get ${device.slug} ${command.id} explains the arguments`;
  throw new UsageError([`${command.id} cannot be sent like this:`, ...lines, help].join("\n"));
}

/** Shows what will be sent and asks, if the manifest wants that. */
async function confirmRun(
  cli: Cli,
  flags: RunFlags,
  { device, command, values }: Target & { readonly values: Values },
): Promise<void> {
  const { confirmation } = command;
  if (confirmation === undefined || flags.yes === true) return;
  const effective = checkInputs(command.arguments, values, () => undefined).values;
  remark(cli, `${confirmation.severity === "warning" ? "WARNING  " : ""}${confirmation.title}`);
  if (confirmation.description !== "") remark(cli, `  ${confirmation.description}`);
  remark(cli, `  ${device.name} (${device.slug}): ${command.id} ${showValues(command.arguments, effective)}`.trimEnd());
  await confirm(cli, flags, `Run "${command.displayName}"?`);
}

async function printCreated(
  cli: Cli,
  flags: RunFlags,
  { device, executionId }: { readonly device: Device; readonly executionId: string },
): Promise<void> {
  await printAnswer(cli, flags, { execution_id: executionId }, () => executionId);
  remark(cli, `follow it with: busbar execution watch ${device.slug} ${executionId}`);
}
