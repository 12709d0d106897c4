// Arguments of functions that scripts call. They come from a script and are never trusted.
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";

/** What is wrong with a call; the script gets nil and this text. */
export class RuleProblem extends Error {}

const LONGEST_NAME = 200;
const LONGEST_WINDOW_MS = 31 * 86_400_000;

export function nameAt(args: readonly unknown[], index: number, what: string): string {
  const value = args[index];
  if (typeof value === "string" && value !== "" && value.length <= LONGEST_NAME) return value;
  throw new RuleProblem(`${what} must be a text of 1 to ${LONGEST_NAME} characters`);
}

export function textAt(args: readonly unknown[], index: number, longest: number): string {
  const value = args[index];
  return (typeof value === "string" ? value : String(value ?? "")).slice(0, longest);
}

export function optionsAt(args: readonly unknown[], index: number): Readonly<Record<string, unknown>> {
  const value = args[index];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return value as Readonly<Record<string, unknown>>;
}

/** `"5m"`, or a number of seconds. */
export function windowOf(value: unknown, what: string): number {
  const parsed = typeof value === "string" ? parseDuration(value) : undefined;
  const ms = typeof value === "number" ? value * 1000 : parsed === undefined ? Number.NaN : toMilliseconds(parsed);
  if (ms > 0 && ms <= LONGEST_WINDOW_MS) return ms;
  throw new RuleProblem(`${what} must be a duration such as "5m", at most 31d`);
}
