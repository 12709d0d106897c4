import { renderValue } from "#cli/render-value.ts";
import type { CommandArgument, ConfigurationParameter } from "#core/blueprint/blueprint.ts";
import { HIDDEN } from "#core/command/plan-command.ts";

/** What a person fills in. */
export type Input = ConfigurationParameter | CommandArgument;
export type Inputs = ReadonlyMap<string, Input>;
export type Values = Readonly<Record<string, unknown>>;

const MOST_CHOICES = 12;

/** The rules of an input in short: `float, kW, 0 to 10, default 5`. */
export function describeInput(input: Input): string {
  const { min, max } = input;
  return [
    input.enum === undefined ? input.type : describeChoices(input.enum.map((one) => String(one.value))),
    "unit" in input ? input.unit : undefined,
    min !== undefined && max !== undefined ? `${min} to ${max}` : undefined,
    min !== undefined && max === undefined ? `at least ${min}` : undefined,
    max !== undefined && min === undefined ? `at most ${max}` : undefined,
    input.format,
    input.sensitive ? "sensitive" : undefined,
    input.default === undefined || input.sensitive ? undefined : `default ${renderValue(input.default)}`,
  ]
    .filter((part) => part !== undefined)
    .join(", ");
}

/** `power=5 mode="fast charge" pin=***`: what is sent, as a person may see it. */
export function showValues(inputs: Inputs, values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${inputs.get(name)?.sensitive === true ? HIDDEN : quote(renderValue(value))}`)
    .join(" ");
}

function describeChoices(words: readonly string[]): string {
  return words.slice(0, MOST_CHOICES).join("|") + (words.length > MOST_CHOICES ? "|..." : "");
}

function quote(text: string): string {
  return /^[^\s"]+$/.test(text) ? text : JSON.stringify(text);
}
