// json.encode and json.decode of a script.
import { jsonExcess } from "#core/text/json-excess.ts";
import { bytesOf, type LuaValue, luaValueOf, textOf } from "./lua-value.ts";
import { MAX_VALUES } from "./stack-values.ts";

/** The JSON text of a value, as a byte string. Throws where JSON has no word for it. */
export function encodeJson(value: LuaValue): string {
  return bytesOf(write(value));
}

function write(value: LuaValue): string {
  if (value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(textOf(value));
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError(`unexpected number value '${value}'`);
    return String(value);
  }
  if (value instanceof Map) {
    const members = [...value].map(([key, item]) => `${JSON.stringify(textOf(key))}:${write(item)}`);
    return `{${members.join(",")}}`;
  }
  return Array.isArray(value) ? `[${value.map(write).join(",")}]` : String(value);
}

/** Integers too long for a double stay exact as long as Lua has them. */
export function decodeJson(byteString: string): LuaValue {
  if (byteString.length > MAX_CHARACTERS) throw new RangeError(`JSON of more than ${MAX_CHARACTERS} bytes`);
  const excess = jsonExcess(byteString, LIMITS);
  if (excess !== undefined) throw new RangeError(`JSON ${excess}`);
  const text = textOf(byteString);
  if (!/\d{16}/.test(text)) return luaValueOf(JSON.parse(text));
  return luaValueOf(JSON.parse(text, keepLongInteger));
}

const MAX_CHARACTERS = 2_097_152;
/** Both cost far more than the text is long. */
const LIMITS = { depth: 100, values: MAX_VALUES };

const MAX_INTEGER = 2n ** 63n;

function keepLongInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || !context?.source || !/^-?\d{1,19}$/.test(context.source)) return value;
  const whole = BigInt(context.source);
  return Number.isSafeInteger(value) || whole >= MAX_INTEGER || whole < -MAX_INTEGER ? value : whole;
}
