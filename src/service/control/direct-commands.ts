import type { Execution } from "#core/command/execution.ts";
import { type CommandSource, commandedValues } from "#core/control/command-claim.ts";
import type { Background } from "#service/background.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { BegunCommand } from "#service/command/create-execution.ts";
import type { Call } from "#service/ports.ts";
import type { KnownControls } from "./known-controls.ts";

/** A command that somebody executes on a controlled argument. */
export interface DirectCommand {
  readonly source: CommandSource;
  readonly control: string;
  readonly value: number;
}

interface DirectCommandsNeeds {
  readonly dispatcher: Pick<CommandDispatcher, "onEnd">;
  readonly background: Background;
}

const MOST_OPEN = 10_000;

/** Waits for the end of commands that set a controlled argument, and has those that succeed adopted as claims. */
export function createDirectCommands(
  needs: DirectCommandsNeeds,
  controlsOf: KnownControls,
  adopt: (execution: Execution, command: DirectCommand) => Promise<void>,
) {
  const open = new Map<string, DirectCommand>();
  needs.dispatcher.onEnd((execution) => {
    const command = open.get(execution.id);
    if (command === undefined || !open.delete(execution.id) || execution.state !== "SUCCESS") return;
    needs.background.run("claim for a command", () => adopt(execution, command));
  });
  return {
    began(
      { id, blueprint, plan }: BegunCommand,
      { caller, scheduleId, door }: Pick<Call, "caller" | "scheduleId" | "door">,
    ): void {
      for (const { control, value } of commandedValues(controlsOf(blueprint), plan)) {
        open.set(id, { source: { tokenId: caller.tokenId, scheduleId, door }, control: control.id, value });
        const [oldest] = open.keys();
        if (open.size > MOST_OPEN && oldest !== undefined) open.delete(oldest);
      }
    },
  };
}
