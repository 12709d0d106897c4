// Summaries and values as bytes: PostgreSQL has no column for "a number, a truth value or a text".
import type { Scalar } from "#store/series/batch.ts";
import type { ChunkHead } from "#store/series/chunk.ts";
import { packGrain, unpackGrain } from "#store/series/held-parts.ts";

/** Numbers of a summary in their order, before its first and last value. */
const NUMBERS = 8;
const NUMBER = 0;
const BOOLEAN = 1;
const TEXT = 2;

export function packHead({ summary, grain, held }: Pick<ChunkHead, "summary" | "grain" | "held">): Uint8Array {
  const { count, firstAt, lastAt, sum, min, max, first, last } = summary;
  const numbers = Float64Array.of(count, firstAt, lastAt, sum.high, sum.low, min, max, packGrain({ grain, held }));
  return Buffer.concat([Buffer.from(numbers.buffer), packScalar(first), packScalar(last)]);
}

export function unpackHead(bytes: Uint8Array): Pick<ChunkHead, "summary" | "grain" | "held"> {
  const view = viewOf(bytes);
  const at = (index: number) => view.getFloat64(index * 8, true);
  const [first, next] = unpackScalar(bytes, NUMBERS * 8);
  const [last] = unpackScalar(bytes, next);
  const summary = {
    count: at(0),
    firstAt: at(1),
    lastAt: at(2),
    sum: { high: at(3), low: at(4) },
    min: at(5),
    max: at(6),
    first,
    last,
  };
  return { summary, ...unpackGrain(at(7)) };
}

export function packScalar(value: Scalar): Uint8Array {
  if (typeof value === "boolean") return Uint8Array.of(BOOLEAN, value ? 1 : 0);
  if (typeof value === "number") {
    const bytes = Buffer.alloc(9);
    bytes[0] = NUMBER;
    bytes.writeDoubleLE(value, 1);
    return bytes;
  }
  const text = Buffer.from(value, "utf8");
  const head = Buffer.alloc(5);
  head[0] = TEXT;
  head.writeUInt32LE(text.length, 1);
  return Buffer.concat([head, text]);
}

/** The value, and where the next one begins. Throws for bytes that hold none. */
export function unpackScalar(bytes: Uint8Array, from = 0): readonly [value: Scalar, next: number] {
  const view = viewOf(bytes);
  switch (view.getUint8(from)) {
    case NUMBER:
      return [view.getFloat64(from + 1, true), from + 9];
    case BOOLEAN:
      return [view.getUint8(from + 1) === 1, from + 2];
    case TEXT: {
      const end = from + 5 + view.getUint32(from + 1, true);
      if (end > bytes.length) throw new RangeError("a text is cut off");
      return [new TextDecoder().decode(bytes.subarray(from + 5, end)), end];
    }
    default:
      throw new RangeError("no such kind of value");
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
