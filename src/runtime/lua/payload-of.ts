import type { Payload } from "#core/command/execution.ts";
import { type LuaValue, plainOf } from "./lua-value.ts";

/** What a command handler returned, as JSON: a table with names as it is, anything else under `result`, nil as nothing. */
export function payloadOf(result: LuaValue): Payload {
  if (result === undefined) return {};
  const plain = jsonOf(plainOf(result));
  if (Array.isArray(plain)) return plain.length === 0 ? {} : { result: plain };
  return isRecord(plain) ? plain : { result: plain };
}

function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null;
}

/** JSON has neither NaN nor integers beyond a double. */
function jsonOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isRecord(value)) return value;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) plain[key] = jsonOf(item);
  return plain;
}
