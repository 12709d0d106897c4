import type { Command, Group, Manifest } from "#web/data/manifest.ts";

export type CommandGroup = {
  /** Undefined: those that no declared group has. */
  readonly group: Group | undefined;
  readonly commands: readonly Command[];
};

/** Commands in the groups and the order of the manifest; groups without commands are left out. */
export function groupCommands({ commands, commandGroups }: Manifest): readonly CommandGroup[] {
  const all = [...commands.values()];
  const groups = [...commandGroups.values()].map((group) => ({
    group,
    commands: all.filter((command) => command.group === group.id),
  }));
  const others = all.filter((command) => command.group === undefined || !commandGroups.has(command.group));
  return [...groups, { group: undefined, commands: others }].filter((one) => one.commands.length > 0);
}

/** Those that stand at hand. */
export function quickCommands({ commands }: Manifest): readonly Command[] {
  return [...commands.values()].filter((command) => command.quickAccess);
}

/** Whether a command can be sent as it is, without a form. */
export function needsNoForm(command: Command): boolean {
  return command.arguments.size === 0;
}

/** The values for the arguments of a command among those that another one answered; null is no value. */
export function valuesFor(
  command: Command,
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = Object.create(null);
  for (const name of command.arguments.keys()) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (value !== undefined && value !== null) values[name] = value;
  }
  return values;
}
