// Writes the JSON text of what a script packs, a piece at a time. A piece ends between two values.
import { LETTER } from "./json-letters.ts";

export interface JsonWriter {
  /** Throws where JSON has no word for a value. */
  add(packed: string): void;
  /** The text, as a byte string. */
  finish(): string;
}

/** A text with another byte than ASCII. */
const NOT_ASCII = /[\x80-\xff]/;

export function createJsonWriter(): JsonWriter {
  const text: string[] = [];
  /** The open lists and maps: how many values they still lack, keys included. */
  const open: { readonly isMap: boolean; left: number; isFirst: boolean }[] = [];

  /** Puts a value, or a key, with what stands before it. */
  function put(value: string, isText: boolean): void {
    const inner = open.at(-1);
    const isKey = inner?.isMap === true && inner.left % 2 === 0;
    if (inner !== undefined && !inner.isFirst && (isKey || !inner.isMap)) text.push(",");
    text.push(isKey && !isText ? JSON.stringify(value) : value);
    if (isKey) text.push(":");
  }

  /** A value has ended, and with it perhaps what holds it. */
  function ended(): void {
    for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
      inner.left -= 1;
      inner.isFirst = false;
      if (inner.left > 0) return;
      text.push(inner.isMap ? "}" : "]");
      open.pop();
    }
  }

  function begin(isMap: boolean, count: number): void {
    put(isMap ? "{" : "[", true);
    if (count === 0) text.push(isMap ? "}" : "]");
    else open.push({ isMap, left: isMap ? count * 2 : count, isFirst: true });
    if (count === 0) ended();
  }

  return {
    add(packed) {
      const data = Buffer.from(packed, "latin1");
      for (let at = 0; at < data.length; ) {
        const letter = data[at];
        at += 1;
        if (letter === LETTER.list || letter === LETTER.map) {
          begin(letter === LETTER.map, data.readUInt32LE(at));
          at += 4;
          continue;
        }
        if (letter === LETTER.text) {
          const from = at + 4;
          at = from + data.readUInt32LE(at);
          // A part of the string that is there already, unless it has to be decoded.
          const bytes = packed.slice(from, at);
          put(JSON.stringify(NOT_ASCII.test(bytes) ? data.toString("utf8", from, at) : bytes), true);
        } else if (letter === LETTER.short) {
          put(String(data.readInt32LE(at)), false);
          at += 4;
        } else if (letter === LETTER.integer) {
          put(String(data.readBigInt64LE(at)), false);
          at += 8;
        } else if (letter === LETTER.double) {
          put(finite(data.readDoubleLE(at)), false);
          at += 8;
        } else put(letter === LETTER.nil ? "null" : letter === LETTER.true ? "true" : "false", false);
        ended();
      }
    },
    finish: () => Buffer.from(text.join(""), "utf8").toString("latin1"),
  };
}

function finite(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`unexpected number value '${value}'`);
  return String(value);
}
