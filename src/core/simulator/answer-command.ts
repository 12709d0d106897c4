// What a simulated device does with a command: how long it takes, what it changes, what it answers.
import type { Command, CommandArgument, CommandResponseField } from "#core/blueprint/blueprint.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Control } from "#core/control/control.ts";
import type { Instant } from "#core/time/instant.ts";
import { formatProblem } from "#core/value/string-format.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import type { Adjustments, NextCommand } from "./adjustments.ts";
import { type DeviceModel, middleOf } from "./device-model.ts";
import { seedOf, shareAt } from "./noise.ts";
import { hasWord, wordsOf } from "./words.ts";

export interface CommandCall {
  /** The id of the execution. It determines how long the command takes. */
  readonly id: string;
  readonly command: Command;
  readonly arguments: Payload;
}

/** How a command goes, in milliseconds of real time since it came. */
export interface CommandRun {
  readonly lines: readonly { readonly afterMs: number; readonly message: string }[];
  /** Undefined: it is never heard of again. */
  readonly endsAfterMs: number | undefined;
  /** What it fails with; undefined when it succeeds. */
  readonly failure: string | undefined;
}

const LONG_WORDS =
  "balance balancing calibrate calibration drain update upgrade purge flush warm clean cleaning reboot restart reset start start selftest test discover scan commission format erase";
const READ_WORDS = "read get list fetch query show";
const LONG_LINES = 4;

export function planRun(
  { id, command }: Omit<CommandCall, "arguments">,
  { seed, nextCommand }: Pick<Adjustments, "seed" | "nextCommand">,
): CommandRun {
  const next = nextCommand !== undefined && appliesTo(nextCommand, command) ? nextCommand : undefined;
  if (next?.kind === "silent") return { lines: [], endsAfterMs: undefined, failure: undefined };
  const isLong = next?.kind === "slow" ? next.reportsProgress : takesLong(command);
  const endsAfterMs = next?.kind === "slow" ? next.delayMs : usualLength(command, shareAt(seedOf(seed, id), 0));
  const lines = isLong ? progressLines(command, endsAfterMs) : [];
  const failure = next?.kind === "fail" ? (next.message ?? "simulated failure") : undefined;
  return { lines, endsAfterMs, failure };
}

/** The adjustments after the command has come: a rule for the next command is used up by it. */
export function afterArrival(adjustments: Adjustments, command: Command): Adjustments {
  const next = adjustments.nextCommand;
  if (next === undefined || !appliesTo(next, command)) return adjustments;
  return { ...adjustments, nextCommand: next.times > 1 ? { ...next, times: next.times - 1 } : undefined };
}

/**
 * The adjustments after the command has succeeded: what it sets is remembered under the names of its arguments. The fallback of a
 * control lets the device run by itself again.
 */
export function afterSuccess(
  adjustments: Adjustments,
  call: CommandCall,
  at: Instant,
  controls: ReadonlyMap<string, Control> = new Map(),
): Adjustments {
  const { command } = call;
  const written = new Map(adjustments.written);
  for (const [name, argument] of command.arguments) {
    const value = Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
    // A secret is not kept where everyone can read it.
    if (value !== undefined && value !== null && !argument.sensitive) written.set(name, value);
  }
  for (const control of controls.values()) if (isFallback(control, call)) written.delete(control.argument);
  const names = [command.id, ...command.aliases];
  const starts = names.some((name) => STARTS.has(name));
  const stops = names.some((name) => STOPS.has(name));
  const stoppedAt = stops ? (adjustments.stoppedAt ?? at) : starts ? undefined : adjustments.stoppedAt;
  return { ...adjustments, written: isReading(command) ? adjustments.written : written, stoppedAt };
}

function isFallback({ fallback }: Control, call: CommandCall): boolean {
  if (fallback?.kind !== "command" || fallback.command !== call.command.id) return false;
  return [...fallback.arguments].every(([name, value]) => call.arguments[name] === value);
}

/** The payload of a success: every declared field with a value that fits it, the present one where the device has one. */
export function answerOf(
  model: DeviceModel,
  { call, at }: { readonly call: CommandCall; readonly at: Instant },
  adjustments: Adjustments,
): Payload {
  const { command } = call;
  const inputs = inputsFilledBy(model, command);
  const known = [adjustments.written, model.telemetry(at, adjustments), model.properties(adjustments)];
  const byAlias = (name: string) =>
    [...model.blueprint.telemetry.values()].find(({ aliases }) => aliases.includes(name))?.id ?? name;
  const payload: Record<string, unknown> = Object.create(null);
  const answer = (field: CommandResponseField | CommandArgument, input: CommandArgument | undefined) => {
    const present = isSchemaForeign(field, input)
      ? []
      : known.flatMap((values) => [values.get(field.id), values.get(byAlias(field.id))]);
    const candidates = [...present, input?.default, input && middleOf(input), model.invent({ ...input, ...field }, at)];
    const value = candidates.map((one) => shaped(field, one)).find((one) => fitsField(field, input, one));
    // Where a bound leaves no room for what is present, what the type allows is better than nothing.
    const answered = value ?? model.invent(field, at);
    if (answered !== undefined) payload[field.id] = answered;
  };
  for (const field of command.response.values()) answer(field, inputs.get(field.id));
  if (command.response.size === 0) for (const input of inputs.values()) answer(input, input);
  return payload;
}

const STARTS = new Set(["start", "turn_on", "switch_on", "power_on", "enable", "resume", "on"]);
const STOPS = new Set(["stop", "turn_off", "switch_off", "power_off", "disable", "shutdown", "off"]);

function appliesTo({ command: wanted }: NextCommand, { id }: Command): boolean {
  return wanted === undefined || wanted === id;
}

function isReading({ id }: Command): boolean {
  return hasWord(wordsOf(id).slice(0, 1), READ_WORDS);
}

function takesLong(command: Command): boolean {
  return !isReading(command) && hasWord(wordsOf(command.id), LONG_WORDS);
}

function usualLength(command: Command, share: number): number {
  if (isReading(command)) return Math.round(100 + 200 * share);
  return takesLong(command) ? Math.round(5_000 + 3_000 * share) : Math.round(300 + 700 * share);
}

/** A slow command reports progress at least every ten seconds, so that nobody gives it up. */
function progressLines(command: Command, endsAfterMs: number): CommandRun["lines"] {
  const count = Math.min(Math.max(LONG_LINES, Math.ceil(endsAfterMs / 10_000)), 1_000);
  return Array.from({ length: count - 1 }, (_, line) => ({
    afterMs: Math.round((endsAfterMs * (line + 1)) / count),
    message: `${command.displayName.trim() || command.id}: ${Math.round((100 * (line + 1)) / count)} %`,
  }));
}

/** The arguments that this command pre-fills, by name; secrets are left out. */
function inputsFilledBy({ blueprint }: DeviceModel, { id }: Command): ReadonlyMap<string, CommandArgument> {
  const inputs = new Map<string, CommandArgument>();
  for (const command of blueprint.commands.values()) {
    if (command.populateValuesCommand !== id) continue;
    for (const [name, argument] of command.arguments) if (!argument.sensitive) inputs.set(name, argument);
  }
  return inputs;
}

/** A measured 21.4 is a 21 where whole numbers are declared. */
function shaped({ type }: CommandResponseField | CommandArgument, value: unknown): unknown {
  return type === "integer" && typeof value === "number" ? Math.round(value) : value;
}

/**
 * This model cannot check JSON against a schema: only values that came in under the same schema, or were made from it,
 * fit.
 */
function isSchemaForeign(field: CommandResponseField | CommandArgument, input: CommandArgument | undefined): boolean {
  return field.jsonSchema !== undefined && field.jsonSchema.text !== input?.jsonSchema?.text;
}

function fitsField(
  field: CommandResponseField | CommandArgument,
  input: CommandArgument | undefined,
  value: unknown,
): boolean {
  if (value === undefined || value === null) return false;
  for (const declared of [field, input]) {
    if (declared === undefined) continue;
    if (valueProblem(declared, value) !== undefined) return false;
    if (typeof value === "string" && declared.format && formatProblem(declared.format, value)) return false;
  }
  if (typeof value !== "number" || input === undefined) return true;
  return value >= (input.min ?? value) && value <= (input.max ?? value);
}
