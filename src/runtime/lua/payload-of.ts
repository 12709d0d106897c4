import type { Payload } from "#core/command/execution.ts";
import { wrapPayload } from "#core/command/response-payload.ts";
import { type LuaValue, plainOf } from "#drivers/lua-value.ts";

/** What a command handler returned, as JSON: a table with names as it is, anything else under `result`, nil as nothing. */
export function payloadOf(result: LuaValue): Payload {
  if (result === undefined) return {};
  const plain = jsonOf(result);
  // An empty table is a list as much as an object.
  return Array.isArray(plain) && plain.length === 0 ? {} : (wrapPayload("SUCCEEDED", plain) ?? {});
}

/** The value as JSON has it: neither NaN nor integers beyond a double. */
export function jsonOf(value: LuaValue): unknown {
  return finiteOf(plainOf(value));
}

function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null;
}

function finiteOf(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(finiteOf);
  if (!isRecord(value)) return value;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) plain[key] = finiteOf(item);
  return plain;
}
