// Checks the arguments that a script passed. The error for a wrong one says what would be right.

import { ConnectionError } from "#drivers/connection-error.ts";
import { type LuaValue, textOf } from "#drivers/lua-value.ts";

type Arguments = readonly LuaValue[];
/** One call of a script. The script receives a thrown `ConnectionError` as text. */
export type Call = (args: Arguments) => Promise<readonly LuaValue[]>;

const DEFAULT_TIMEOUT_MS = 1000;
const MAX_TIMEOUT_MS = 60_000;

/** A number, or text that is one, as everywhere in Lua. */
export function integer(value: LuaValue, name: string, [min, max]: readonly [number, number]): number {
  const number = numberOf(value);
  if (number === undefined || !Number.isInteger(number) || number < min || number > max)
    throw new ConnectionError("invalid", `${name} must be an integer from ${min} to ${max}, got ${describe(value)}`);
  return number;
}

export function finite(value: LuaValue, name: string): number {
  const number = numberOf(value);
  if (number === undefined || !Number.isFinite(number))
    throw new ConnectionError("invalid", `${name} must be a number, got ${describe(value)}`);
  return number;
}

/** Milliseconds; one second by default. */
export function timeout(value: LuaValue, name = "timeout"): number {
  if (value === undefined) return DEFAULT_TIMEOUT_MS;
  const ms = finite(value, name);
  if (ms <= 0) throw new ConnectionError("invalid", `${name} must be longer than 0 ms, got ${describe(value)}`);
  return Math.min(Math.ceil(ms), MAX_TIMEOUT_MS);
}

/** A byte string; a number passes as its text. */
export function byteString(value: LuaValue, name: string, maxBytes: number): string {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  if (typeof text !== "string")
    throw new ConnectionError("invalid", `${name} must be a string, got ${describe(value)}`);
  if (text.length > maxBytes)
    throw new ConnectionError("invalid", `${name} must not be longer than ${maxBytes} bytes, got ${text.length}`);
  return text;
}

export function text(value: LuaValue, name: string, maxBytes = 2048): string {
  return textOf(byteString(value, name, maxBytes));
}

/** In memory of its own: posting bytes to another thread copies the whole buffer that contains them. */
export function bytes(value: LuaValue, name: string, maxBytes: number): Uint8Array {
  return Uint8Array.from(Buffer.from(byteString(value, name, maxBytes), "latin1"));
}

export function flag(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

export function list(value: LuaValue, name: string, maxLength: number): readonly LuaValue[] {
  if (!Array.isArray(value)) throw new ConnectionError("invalid", `${name} must be a list, got ${describe(value)}`);
  if (value.length > maxLength)
    throw new ConnectionError("invalid", `${name} must not have more than ${maxLength} items, got ${value.length}`);
  return value;
}

/** An empty table arrives as a list and has no fields. */
export function table(value: LuaValue, name: string): ReadonlyMap<string, LuaValue> {
  if (value instanceof Map) return value;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return new Map();
  throw new ConnectionError("invalid", `${name} must be a table with fields, got ${describe(value)}`);
}

function numberOf(value: LuaValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string" && /^\s*[-+]?(0x[0-9a-f]+|\d+(\.\d*)?(e[-+]?\d+)?)\s*$/i.test(value))
    return Number(value);
  return undefined;
}

function describe(value: LuaValue): string {
  if (value === undefined) return "nil";
  if (typeof value === "string") return `"${textOf(value.slice(0, 40))}"`;
  return typeof value === "object" ? "a table" : String(value);
}
