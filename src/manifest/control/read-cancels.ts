// The key `.busbar` of a command: which command cancels it while it runs.
import { CANCELLED_ARGUMENT } from "#core/blueprint/blueprint.ts";
import type { Reporter } from "#manifest/reporter.ts";
import { entryTrail, follow, type Trail } from "#manifest/tree.ts";
import { choices, quote, short } from "#manifest/words.ts";
import type { Surroundings } from "./check-controls.ts";

const OPTION = "cancel";

interface Place {
  readonly reporter: Reporter;
  readonly root: Trail;
  readonly around: Surroundings;
}

/** By the id of a command, the id of the command that cancels it. A wrong one is an error: it would move the device. */
export function readCancels(place: Place): ReadonlyMap<string, string> {
  const cancels = new Map<string, string>();
  const commands = follow(place.root, ["commands"]);
  if (commands.parent === undefined || commands.node.kind !== "map") return cancels;
  for (const command of commands.node.entries.values()) {
    const { value } = command;
    const extension = value.kind === "map" ? value.extension : undefined;
    if (extension === undefined) continue;
    const name = readCancel(place, entryTrail(entryTrail(commands, command), extension));
    if (name !== undefined && isFit(place, entryTrail(entryTrail(commands, command), extension), command.key, name)) {
      cancels.set(command.key, name);
    }
  }
  return cancels;
}

/** Other keys are a warning, as at the root. */
function readCancel({ reporter }: Place, trail: Trail): string | undefined {
  const { node } = trail;
  if (node.kind !== "map") {
    const message = ".busbar of a command must be an object, such as {cancel: stop}.";
    reporter.atKey(trail, { code: "bad_extension", message });
    return undefined;
  }
  for (const option of node.entries.values()) {
    if (option.key === OPTION) continue;
    const { words } = choices(reporter, option.key, [OPTION]);
    const message = `.busbar of a command has no key ${quote(option.key)}. ${words}`;
    reporter.atKey(entryTrail(trail, option), { code: "bad_extension", message });
  }
  const entry = node.entries.get(OPTION);
  if (entry === undefined) return undefined;
  return entry.value.kind === "scalar" ? entry.value.text : "";
}

function isFit({ reporter, around }: Place, trail: Trail, id: string, name: string): boolean {
  const report = (message: string): false => {
    if (!reporter.skips("bad_cancel")) reporter.atValue(follow(trail, [OPTION]), { code: "bad_cancel", message });
    return false;
  };
  const command = around.commands.get(name);
  if (command === undefined) {
    const { words } = choices(reporter, name, [...around.commands.keys()]);
    return report(`There is no command ${quote(name)}. ${words}`);
  }
  if (name === id) return report("A command does not cancel itself.");
  for (const [argument, { isNeeded, type }] of command.arguments) {
    if (argument === CANCELLED_ARGUMENT) {
      if (type !== undefined && type !== "string")
        return report(`${short(argument)} of ${short(name)} must be a string.`);
    } else if (isNeeded) return report(`The command ${short(name)} needs ${short(argument)}, which nobody would give.`);
  }
  return true;
}
