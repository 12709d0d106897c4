import { allows } from "#core/access/level.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type CommandInput, findCommand } from "#core/command/plan-command.ts";
import { requesterOf } from "#core/share/requester.ts";
import { givenValue, type JsonCheck } from "#core/value/check-inputs.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { Call } from "#service/ports.ts";

/** Checks the json arguments of a command against their schemas. The answer reports what was found. */
export async function checkJsonArguments(
  needs: { readonly checkJson: CheckJsonValue },
  { caller, remoteAddress }: Call,
  { blueprint, input }: { readonly blueprint: Blueprint; readonly input: CommandInput },
): Promise<JsonCheck> {
  const command = findCommand(blueprint, input.name);
  const found = new Map<string, string | undefined>();
  // A caller that may not run the command is refused for that first, and costs no check.
  if (!allows(caller.level, command.accessLevel)) return () => undefined;
  const requester = requesterOf(caller, remoteAddress);
  for (const [name, { type, jsonSchema }] of command.arguments) {
    const value = givenValue(input.arguments, name);
    if (type !== "json" || jsonSchema?.text === undefined || value === undefined) continue;
    found.set(name, await needs.checkJson(jsonSchema.text, value, requester));
  }
  return (name) => found.get(name);
}
