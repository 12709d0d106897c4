import { allows } from "#core/access/level.ts";
import type { Blueprint, Command } from "#core/blueprint/blueprint.ts";
import { traitsOf } from "#core/command/command-traits.ts";
import { type CommandInput, findCommand } from "#core/command/plan-command.ts";
import { requesterOf } from "#core/share/requester.ts";
import { givenValue, type JsonCheck } from "#core/value/check-inputs.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { Call } from "#service/ports.ts";

const NOTHING_FOUND: JsonCheck = () => undefined;

/** Checks the json arguments of a command against their schemas. The answer reports what was found; it is there at once where there are none. */
export function checkJsonArguments(
  needs: { readonly checkJson: CheckJsonValue },
  call: Call,
  { blueprint, input }: { readonly blueprint: Blueprint; readonly input: CommandInput },
): JsonCheck | Promise<JsonCheck> {
  const command = findCommand(blueprint, input.name);
  // A caller that may not run the command is refused for that first, and costs no check.
  if (!traitsOf(command).hasSchema || !allows(call.caller.level, command.accessLevel)) return NOTHING_FOUND;
  return checkSchemas(needs, call, { command, input });
}

async function checkSchemas(
  needs: { readonly checkJson: CheckJsonValue },
  { caller, remoteAddress }: Call,
  { command, input }: { readonly command: Command; readonly input: CommandInput },
): Promise<JsonCheck> {
  const found = new Map<string, string | undefined>();
  const requester = requesterOf(caller, remoteAddress);
  for (const [name, { type, jsonSchema }] of command.arguments) {
    const value = givenValue(input.arguments, name);
    if (type !== "json" || jsonSchema?.text === undefined || value === undefined) continue;
    found.set(name, await needs.checkJson(jsonSchema.text, value, requester));
  }
  return (name) => found.get(name);
}
