// json.encode and json.decode of a script.
import { bytesOf, type LuaValue, luaValueOf, textOf } from "./lua-value.ts";
import { MAX_VALUES } from "./value-door.ts";

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
  checkSize(byteString);
  const text = textOf(byteString);
  if (!/\d{16}/.test(text)) return luaValueOf(JSON.parse(text));
  return luaValueOf(JSON.parse(text, keepLongInteger));
}

const MAX_CHARACTERS = 2_097_152;
const MAX_DEPTH = 100;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** How deep and how many, before anything is built: both cost far more than the text is long. */
function checkSize(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values += 1;
    // [ and {, ] and }
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > MAX_DEPTH) throw new RangeError(`JSON nested more than ${MAX_DEPTH} deep`);
    if (values > MAX_VALUES) throw new RangeError(`JSON of more than ${MAX_VALUES} values`);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

const MAX_INTEGER = 2n ** 63n;

function keepLongInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || !context?.source || !/^-?\d{1,19}$/.test(context.source)) return value;
  const whole = BigInt(context.source);
  return Number.isSafeInteger(value) || whole >= MAX_INTEGER || whole < -MAX_INTEGER ? value : whole;
}
