// Where an export broke off: the rows of a file are in order of time, so the file itself says it.
import { promises } from "node:fs";
import { parseInstant } from "#core/time/instant.ts";

const NEWLINE = 10;
/** More than the rows of one moment take. */
const TAIL_BYTES = 4 * 1024 * 1024;

export interface Resumed {
  /** Unix milliseconds from which rows are missing. */
  readonly from: number;
  /** Bytes of the file that stay. */
  readonly length: number;
}

/**
 * Undefined when the file has no row yet. A row that is cut off is left out. Of the rows of the last moment all are left
 * out if there may be several, because some of them may be missing.
 */
export async function findEnd(file: string, shape: "wide" | "long"): Promise<Resumed | undefined> {
  const handle = await promises.open(file);
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const tail = Buffer.alloc(size - start);
    await handle.read(tail, 0, tail.length, start);
    let end = tail.lastIndexOf(NEWLINE) + 1;
    const lineBefore = (to: number) => tail.lastIndexOf(NEWLINE, to - 2) + 1;
    if (end <= 0) return undefined;
    let from = lineBefore(end);
    const last = timeOf(tail.subarray(from, end).toString());
    if (last === undefined) return undefined;
    if (shape === "wide") return { from: last + 1, length: start + end };
    while (end > 0 && timeOf(tail.subarray(from, end).toString()) === last) {
      end = from;
      from = lineBefore(end);
    }
    return { from: last, length: start + end };
  } finally {
    await handle.close();
  }
}

/** The time of a row of CSV or JSON lines, in Unix milliseconds; undefined for a header. */
export function timeOf(line: string): number | undefined {
  const text = /^(?:\{"ts":)?"?([^,"}]+)/.exec(line)?.[1] ?? "";
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  return parseInstant(text);
}
