import type { Command as Verb } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, requireId } from "#cli/client-command.ts";
import { describeInput, type Input } from "#cli/input/describe-input.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { readDeviceBlueprint } from "#cli/read-device-blueprint.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint, Command, CommandResponseField } from "#core/blueprint/blueprint.ts";
import { findCommand } from "#core/command/plan-command.ts";

export function addCommandCommands(parent: Verb, cli: Cli): void {
  addExamples(parent, "command list battery-1", "command get battery-1 set_charge_power");

  clientCommand(parent, "list [device]", "List the commands of a device.").action(
    async (argument: string | undefined, flags: ClientFlags) => {
      const id = requireId("device", argument, undefined);
      const { blueprint, manifest } = await readDeviceBlueprint(await openSession(cli, flags), id);
      const rows = [...blueprint.commands.values()].toSorted((a, b) => groupOrder(blueprint, a, b));
      const answer = { command_groups: manifest["command_groups"] ?? {}, commands: manifest["commands"] ?? {} };
      await printTable(cli, flags, { answer, rows, columns: columnsOf(blueprint) });
    },
  );

  const get = clientCommand(parent, "get [device] [command]", "Explain a command and its arguments.").action(
    async (argument: string | undefined, name: string | undefined, flags: ClientFlags) => {
      const id = requireId("device", argument, undefined);
      if (name === undefined) throw new UsageError(`which command? busbar command list ${id} shows them`);
      const { device, blueprint, manifest } = await readDeviceBlueprint(await openSession(cli, flags), id);
      const command = findCommand(blueprint, name);
      const declared = manifest["commands"] as Readonly<Record<string, unknown>>;
      const answer = { name: command.id, command: declared[command.id] };
      await printAnswer(cli, flags, answer, (colour) => renderCommand(command, device.slug, colour));
    },
  );
  addExamples(get, "command get battery-1 set_charge_power");
}

/** `power [mode]`: what must be given, and what may. */
function usageOf(command: Command): string {
  return [...command.arguments.values()]
    .map(({ id, required, default: fallback }) => (required && fallback === undefined ? id : `[${id}]`))
    .join(" ");
}

function columnsOf(blueprint: Blueprint) {
  return {
    GROUP: (command: Command) => blueprint.commandGroups.get(command.group)?.displayName ?? command.group,
    COMMAND: (command: Command) => [command.id, ...command.aliases].join(", "),
    ARGUMENTS: usageOf,
    LEVEL: (command: Command) => command.accessLevel,
    ASKS: (command: Command) => command.confirmation?.severity,
    NAME: (command: Command) => command.displayName,
  };
}

function groupOrder({ commandGroups }: Blueprint, a: Command, b: Command): number {
  const groups = [...commandGroups.keys()];
  return groups.indexOf(a.group) - groups.indexOf(b.group);
}

function renderCommand(command: Command, device: string, colour: boolean): string {
  const facts = {
    command: command.id,
    name: command.displayName,
    ...(command.description === "" ? {} : { about: command.description }),
    ...(command.aliases.length === 0 ? {} : { aliases: command.aliases.join(", ") }),
    "run by": command.accessLevel,
    "read by": command.readAccessLevel,
    ...(command.confirmation === undefined ? {} : { asks: command.confirmation.title }),
    ...(command.populateValuesCommand === undefined ? {} : { "--prefill": command.populateValuesCommand }),
    ...(command.cancelCommand === undefined ? {} : { "cancelled by": command.cancelCommand }),
    run: `busbar run ${device} ${command.id} ${exampleOf(command)}`.trimEnd(),
  };
  const parts = [renderRecord(facts, colour)];
  if (command.arguments.size > 0) parts.push(renderTable(ARGUMENTS, [...command.arguments.values()], { colour }));
  if (command.response.size > 0) parts.push(renderTable(RESPONSE, [...command.response.values()], { colour }));
  return parts.join("\n\n");
}

function exampleOf(command: Command): string {
  return [...command.arguments.values()]
    .filter(({ required, default: fallback }) => required && fallback === undefined)
    .map(({ id, sensitive, type }) => (sensitive ? id : `${id}=${type.toUpperCase()}`))
    .join(" ");
}

const ARGUMENTS = {
  ARGUMENT: (input: Input) => input.id,
  VALUE: describeInput,
  REQUIRED: (input: Input) => (input.required ? "yes" : undefined),
  NAME: (input: Input) => input.displayName,
  ABOUT: (input: Input) => input.description,
};

const RESPONSE = {
  ANSWER: (field: CommandResponseField) => field.id,
  TYPE: (field: CommandResponseField) => field.type,
  UNIT: (field: CommandResponseField) => field.unit,
  NAME: (field: CommandResponseField) => field.displayName,
  ABOUT: (field: CommandResponseField) => field.description,
};
