// Reading columns. A value of another type than the schema promises means a damaged file, which is a fault.
import { type Instant, instant } from "#core/time/instant.ts";
import type { Row } from "./connection.ts";

export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged(column, value);
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

export function number(row: Row, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : damaged(column, value);
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

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : damaged(column, value);
}

/** A list as one bound value, for `IN (SELECT value FROM json_each(?))`. */
export function listed(values: Iterable<string>): string {
  return JSON.stringify([...values]);
}

function damaged(column: string, value: unknown): never {
  throw new Error(`column ${column} holds ${value === undefined ? "nothing" : typeof value}`);
}
