// Reads columns. A value of another type than the schema promises means that the file is damaged, which is a fault.
import type { Micros } from "#core/command/execution.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Row } from "#store/database.ts";
import { storableText } from "./storable.ts";

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged(column, value);
}

const LONGEST_NAME = 200;

/** Names that were stored before they had a limit are cut: one of megabytes would be in every list. */
export function shortName(row: Row, column: string): string {
  return text(row, column).slice(0, LONGEST_NAME);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function number(row: Row, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : damaged(column, value);
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : number(row, column);
}

/** A text that must be one of the words that the column allows. */
export function oneOf<Text extends string>(row: Row, column: string, allowed: readonly Text[]): Text {
  const value = text(row, column);
  return allowed.find((one) => one === value) ?? damaged(column, value);
}

export function micros(row: Row, column: string): Micros {
  return number(row, column) as Micros;
}

/** Milliseconds that a Date can hold. */
const FARTHEST = 8.64e15;

export function time(row: Row, column: string): Instant {
  const value = number(row, column);
  return Math.abs(value) <= FARTHEST ? instant(value) : damaged(column, value);
}

export function optionalTime(row: Row, column: string): Instant | undefined {
  return row[column] === null ? undefined : time(row, column);
}

export function optionalBytes(row: Row, column: string): Uint8Array | undefined {
  return row[column] === null ? undefined : bytes(row, column);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : damaged(column, value);
}

/** A list as one bound value, for `IN (SELECT value FROM json_each(?))`. */
export function listed(values: Iterable<string>): string {
  return JSON.stringify(Array.from(values, storableText));
}

function damaged(column: string, value: unknown): never {
  // The value itself is not quoted: it may be a secret.
  throw new Error(`column ${column} holds ${value === undefined ? "nothing" : `a ${typeof value} that does not fit`}`);
}
