// What most commands do not have, found out once for each command of a blueprint: then nobody looks at each argument of each call.
import type { Command } from "#core/blueprint/blueprint.ts";

interface CommandTraits {
  /** Some argument must not be shown. */
  readonly isSensitive: boolean;
  /** Some argument has a JSON schema. */
  readonly hasSchema: boolean;
}

/** A command of a blueprint never changes. */
const known = new WeakMap<Command, CommandTraits>();

export function traitsOf(command: Command): CommandTraits {
  const found = known.get(command);
  if (found !== undefined) return found;
  const inputs = [...command.arguments.values()];
  const traits = {
    isSensitive: inputs.some(({ sensitive }) => sensitive),
    hasSchema: inputs.some(({ type, jsonSchema }) => type === "json" && jsonSchema?.text !== undefined),
  };
  known.set(command, traits);
  return traits;
}
