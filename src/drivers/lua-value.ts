// Values that pass between a script and its host. Nothing else passes: no function, no object, no promise.

/**
 * A string holds one byte a character (0..255), so binary data passes unchanged. A table with keys 1..n is an array,
 * any other a Map by key text, an empty one an empty array. Integers outside the safe range are bigint; every other
 * number without a fraction is an integer in Lua. undefined is nil.
 */
export type LuaValue =
  | undefined
  | boolean
  | number
  | bigint
  | string
  | readonly LuaValue[]
  | ReadonlyMap<string, LuaValue>;

/** The text of a script's byte string: decoded as UTF-8, with U+FFFD for invalid bytes. */
export function textOf(byteString: string): string {
  return Buffer.from(byteString, "latin1").toString("utf8");
}

/** Text as a script sees it: its UTF-8 bytes, one a character. */
export function bytesOf(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** What a JSON value is in Lua. null becomes nil, so it leaves a gap in a table. */
export function luaValueOf(value: unknown): LuaValue {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return bytesOf(value);
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint") return value;
  if (Array.isArray(value)) return value.map(luaValueOf);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [bytesOf(String(key)), luaValueOf(item)]));
  if (typeof value === "object") return luaValueOf(new Map(Object.entries(value)));
  throw new TypeError(`a ${typeof value} has no place in Lua`);
}

/** What a script's value is in JSON. Byte strings become text; a bigint and a number that is not finite stay as they are. */
export function plainOf(value: LuaValue): unknown {
  if (value === undefined) return null;
  if (typeof value === "string") return textOf(value);
  if (value instanceof Map) {
    const plain: Record<string, unknown> = Object.create(null);
    for (const [key, item] of value) plain[textOf(key)] = plainOf(item);
    return plain;
  }
  return Array.isArray(value) ? value.map(plainOf) : value;
}

/** About as many bytes as its JSON has. */
export function sizeOf(value: LuaValue): number {
  if (typeof value === "string") return value.length + 2;
  let bytes = 8;
  if (value instanceof Map) for (const [key, item] of value) bytes += key.length + 3 + sizeOf(item);
  else if (Array.isArray(value)) for (const item of value) bytes += 1 + sizeOf(item);
  return bytes;
}
