import { type AccessLevel, allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Blueprint, Command } from "#core/blueprint/blueprint.ts";
import { traitsOf } from "#core/command/command-traits.ts";
import type { Payload } from "#core/command/execution.ts";
import { refuseMistakes } from "#core/mistakes.ts";
import { pointerTo } from "#core/text/json-pointer.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { checkInputs, type JsonCheck } from "#core/value/check-inputs.ts";

export interface CommandInput {
  readonly name: string;
  readonly arguments: Payload;
  readonly ephemeral: boolean;
}

export interface Plan {
  readonly command: Command;
  /** Effective: defaults filled in. */
  readonly arguments: Payload;
}

/** What a sensitive value looks like to everyone but the device. */
export const HIDDEN = "***";

/** Whether and how this command can run. Refuses with everything that is wrong at once. */
export function planCommand(
  blueprint: Blueprint,
  level: AccessLevel,
  { input, checkJson }: { readonly input: CommandInput; readonly checkJson: (command: Command) => JsonCheck },
): Plan {
  const command = findCommand(blueprint, input.name);
  if (!allows(level, command.accessLevel)) {
    throw refuse("forbidden", `${command.id} takes access level ${command.accessLevel}; the token has ${level}`, {
      needed: command.accessLevel,
    });
  }
  const { values, problems, moreProblems } = checkInputs(command.arguments, input.arguments, checkJson(command));
  const listed = problems.map(({ name, message }) => ({
    code: "invalid_arguments" as const,
    message,
    details: { pointer: pointerTo("/arguments", name) },
  }));
  refuseMistakes({ listed, more: moreProblems });
  return { command, arguments: values };
}

/** By manifest name or alias; the name wins. */
export function findCommand(blueprint: Blueprint, name: string): Command {
  const command =
    blueprint.commands.get(name) ?? [...blueprint.commands.values()].find((one) => one.aliases.includes(name));
  if (command !== undefined) return command;
  const close = nearestOf(
    name,
    [...blueprint.commands.values()].flatMap((one) => [one.id, ...one.aliases]),
  );
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  throw refuse(
    "command_not_found",
    `the device's blueprint has no command ${JSON.stringify(name.slice(0, 80))}${hint}`,
    {
      pointer: "/name",
    },
  );
}

/** The arguments as everyone but the device sees them. */
export function hideSensitive(command: Command, values: Payload): Payload {
  if (!traitsOf(command).isSensitive) return values;
  const shown: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    shown[name] = command.arguments.get(name)?.sensitive ? HIDDEN : value;
  }
  return shown;
}
