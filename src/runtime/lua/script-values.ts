import { type FineTime, fineTime } from "#core/time/instant.ts";
import { type LuaValue, plainOf, textOf } from "#drivers/lua-value.ts";

export interface ScriptValues {
  /** Undefined: now. */
  readonly takenAt: FineTime | undefined;
  readonly values: ReadonlyMap<string, unknown>;
}

/** What a script sends. `timestamp` is when the values were taken, in Unix seconds, as in a device's message. */
export function parseScriptValues(values: ReadonlyMap<string, LuaValue>): ScriptValues {
  const plain = new Map<string, unknown>();
  let takenAt: FineTime | undefined;
  for (const [key, value] of values) {
    const name = textOf(key);
    if (name === "timestamp" && isTimestamp(value)) takenAt = fineTime(Math.round(value * 1e6) / 1e3);
    else plain.set(name, jsonOf(plainOf(value)));
  }
  return { takenAt, values: plain };
}

const YEAR_5000 = 95_617_584_000;

/** Any other is no time that a point can have; it stays among the values, to be refused by name. */
function isTimestamp(value: LuaValue): value is number {
  return typeof value === "number" && value >= 0 && value <= YEAR_5000;
}

/** An integer beyond a double is the nearest number. What is not finite stays, to be refused by name. */
function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value !== "object" || value === null) return value;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) plain[key] = jsonOf(item);
  return plain;
}
