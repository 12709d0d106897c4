// Reads a JSON text into the form that a script unpacks, a piece at a time: a document of 1 MiB in one go would hold up
// the other scripts of the thread.
import { LETTER } from "./json-letters.ts";

const MAX_BYTES = 2_097_152;
/** Both cost far more than the text is long. */
const MAX_DEPTH = 100;
const MAX_VALUES = 600_000;
/** Less than a millisecond of work. */
const STEP_BYTES = 16_384;

export interface JsonReader {
  /** Reads on. Answers the packed value, a byte string, when the end is reached. Throws for what is no JSON. */
  step(): string | undefined;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Room for anything but a text. */
const TOKEN_BYTES = 16;

/** An escape, with a second half of a character of two. */
const ESCAPE = /^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}(?:\\u[dD][c-fC-F][\dA-Fa-f]{2})?)/;

const WORDS = [
  ["true", LETTER.true],
  ["false", LETTER.false],
  ["null", LETTER.nil],
] as const;

/** `source` is a byte string. Texts keep their bytes. */
export function createJsonReader(source: string): JsonReader {
  if (source.length > MAX_BYTES) throw new RangeError(`JSON of more than ${MAX_BYTES} bytes`);
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  let data = Buffer.allocUnsafe(Math.min(source.length, STEP_BYTES) * 2 + TOKEN_BYTES);
  let end = 0;
  let at = 0;
  let values = 0;
  /** Of the open lists and maps: where their counts stand, and how many items they have. */
  const open: { readonly isMap: boolean; readonly place: number; count: number }[] = [];
  /** What may come: a value, an item or the end of a list, a key or the end of a map, a key, or what follows a value. */
  let next: "value" | "item" | "member" | "key" | "more" = "value";

  function fail(): never {
    const what = at < source.length ? `unexpected ${JSON.stringify(source[at])}` : "unexpected end of the text";
    throw new SyntaxError(`${what} in JSON at character ${at + 1}`);
  }

  function room(bytes: number): void {
    if (end + bytes <= data.length) return;
    const larger = Buffer.allocUnsafe(Math.max(data.length * 2, end + bytes));
    data.copy(larger, 0, 0, end);
    data = larger;
  }

  function skipBlanks(): void {
    for (;;) {
      const code = source.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  }

  function count(): void {
    values += 1;
    if (values > MAX_VALUES)
      throw new RangeError(`JSON of more than ${MAX_VALUES} values, from character ${at + 1} on`);
    const inner = open.at(-1);
    if (inner !== undefined) inner.count += 1;
  }

  function begin(isMap: boolean): void {
    if (open.length >= MAX_DEPTH)
      throw new RangeError(`JSON nested more than ${MAX_DEPTH} levels deep, from character ${at + 1} on`);
    data[end] = isMap ? LETTER.map : LETTER.list;
    open.push({ isMap, place: end + 1, count: 0 });
    end += 5;
    at += 1;
    next = isMap ? "member" : "item";
  }

  function close(): void {
    const inner = open.pop();
    if (inner === undefined || source.charCodeAt(at) !== (inner.isMap ? CLOSE_MAP : CLOSE_LIST)) fail();
    data.writeUInt32LE(inner.count, inner.place);
    at += 1;
    next = "more";
  }

  function text(): void {
    const from = at + 1;
    let to = from;
    let isPlain = true;
    for (; source.charCodeAt(to) !== QUOTE; to += 1) {
      const code = source.charCodeAt(to);
      if (code === BACKSLASH) {
        isPlain = false;
        to += 1;
      } else if (!(code >= 0x20)) {
        at = to;
        fail();
      }
    }
    room(to - from + TOKEN_BYTES);
    data[end] = LETTER.text;
    const start = end + 5;
    const bytes = isPlain ? data.write(source.slice(from, to), start, "latin1") : unescaped(from, to, start);
    data.writeUInt32LE(bytes, end + 1);
    end = start + bytes;
    at = to + 1;
  }

  /** An escape is never shorter than its bytes. */
  function unescaped(from: number, to: number, start: number): number {
    let written = start;
    for (at = from; at < to; ) {
      const code = source.charCodeAt(at);
      if (code !== BACKSLASH) {
        data[written] = code;
        written += 1;
        at += 1;
        continue;
      }
      const [found] = ESCAPE.exec(source.slice(at, at + 12)) ?? [];
      if (found === undefined) fail();
      // A second half belongs to what stands before it only if that is a first half.
      const one = /^\\u(?![dD][89abAB])/.test(found) ? found.slice(0, 6) : found;
      written += data.write(JSON.parse(`"${one}"`), written, "utf8");
      at += one.length;
    }
    return written - start;
  }

  function value(): void {
    count();
    room(TOKEN_BYTES);
    const code = source.charCodeAt(at);
    if (code === OPEN_LIST || code === OPEN_MAP) {
      begin(code === OPEN_MAP);
      return;
    }
    if (code === QUOTE) text();
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) putNumber();
    else word();
    next = "more";
  }

  function word(): void {
    const found = WORDS.find(([name]) => source.startsWith(name, at));
    if (found === undefined) fail();
    data[end] = found[1];
    end += 1;
    at += found[0].length;
  }

  function putNumber(): void {
    number.lastIndex = at;
    const [digits] = number.exec(source) ?? fail();
    at += digits.length;
    const amount = Number(digits);
    // -0 is a float in Lua, there is no such integer. Integers too long for a double stay exact as long as Lua has them.
    if ((amount | 0) === amount && !Object.is(amount, -0)) {
      data[end] = LETTER.short;
      end = data.writeInt32LE(amount, end + 1);
    } else if (Number.isSafeInteger(amount) && amount !== 0) {
      data[end] = LETTER.integer;
      end = data.writeBigInt64LE(BigInt(amount), end + 1);
    } else if (/^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits) && amount !== 0) {
      data[end] = LETTER.integer;
      end = data.writeBigInt64LE(BigInt(digits), end + 1);
    } else {
      data[end] = LETTER.double;
      end = data.writeDoubleLE(amount, end + 1);
    }
  }

  function key(): void {
    if (source.charCodeAt(at) !== QUOTE) fail();
    text();
    skipBlanks();
    if (source.charCodeAt(at) !== COLON) fail();
    at += 1;
    next = "value";
  }

  function advance(): void {
    const code = source.charCodeAt(at);
    if (next === "value") value();
    else if (next === "item") code === CLOSE_LIST ? close() : value();
    else if (next === "member") code === CLOSE_MAP ? close() : key();
    else if (next === "key") key();
    else if (code === COMMA && open.length > 0) {
      at += 1;
      next = open.at(-1)?.isMap ? "key" : "value";
    } else close();
  }

  return {
    step() {
      for (const until = at + STEP_BYTES; at < until; ) {
        skipBlanks();
        if (at >= source.length) {
          if (next !== "more" || open.length > 0) fail();
          return data.toString("latin1", 0, end);
        }
        advance();
      }
      return undefined;
    },
  };
}
