// Reads the fields of what came over a link.
import type { Payload } from "#core/command/execution.ts";
import { type Instant, instant } from "#core/time/instant.ts";

/** Why a message cannot be read. */
export class LinkMistake extends Error {}

export type Fields = Readonly<Record<string, unknown>>;

export function object(value: unknown, name: string): Payload {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new LinkMistake(`${name} is no object`);
  return value as Payload;
}

export function list(given: Fields, name: string): readonly unknown[] {
  const value = given[name];
  if (!Array.isArray(value)) throw new LinkMistake(`${name} is no list`);
  return value;
}

/** Names, ids and words. What may be longer says so. */
const MAX_TEXT = 1_000;
/** Lines of a log, details and reasons. */
export const MAX_LONG_TEXT = 16_384;

export function text(given: Fields, name: string, longest = MAX_TEXT): string {
  const value = given[name];
  if (typeof value !== "string") throw new LinkMistake(`${name} is no text`);
  if (value.length > longest) throw new LinkMistake(`${name} has more than ${longest} characters`);
  return value;
}

export function optionalText(given: Fields, name: string, longest = MAX_TEXT): string | undefined {
  return given[name] === undefined ? undefined : text(given, name, longest);
}

export function texts(given: Fields, name: string): readonly string[] {
  const values = list(given, name);
  if (!values.every((value) => typeof value === "string" && value.length <= MAX_TEXT))
    throw new LinkMistake(`${name} is no list of texts of up to ${MAX_TEXT} characters`);
  return values as readonly string[];
}

/** A SHA-256 in hexadecimal. */
export function hash(given: Fields, name: string): string {
  const value = text(given, name);
  if (!/^[0-9a-f]{64}$/.test(value)) throw new LinkMistake(`${name} is no hash`);
  return value;
}

export function word<Word extends string>(given: Fields, name: string, allowed: readonly Word[]): Word {
  const value = text(given, name);
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new LinkMistake(`${name} is none of ${allowed.join(", ")}`);
  return found;
}

export function flag(given: Fields, name: string): boolean {
  const value = given[name];
  if (typeof value !== "boolean") throw new LinkMistake(`${name} is neither true nor false`);
  return value;
}

export function number(given: Fields, name: string): number {
  const value = given[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new LinkMistake(`${name} is no number`);
  return value;
}

export function count(given: Fields, name: string): number {
  const value = number(given, name);
  if (!Number.isSafeInteger(value) || value < 0) throw new LinkMistake(`${name} is no count`);
  return value;
}

/** Milliseconds that a Date can hold. */
export const FARTHEST = 8.64e15;

export function moment(given: Fields, name: string): Instant {
  const value = number(given, name);
  if (Math.abs(value) > FARTHEST) throw new LinkMistake(`${name} is no time`);
  return instant(value);
}

export function optionalMoment(given: Fields, name: string): Instant | undefined {
  return given[name] === undefined ? undefined : moment(given, name);
}
