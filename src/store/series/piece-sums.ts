// The checksum of each kind of stored piece, whatever database holds it.
import { KINDS, type Scalar, type SeriesDefinition } from "./batch.ts";
import { checksum } from "./checksum.ts";
import type { ChunkContent, ChunkHead, Latest, Segment } from "./chunk.ts";
import { packGrain } from "./held-parts.ts";

export function headSum({ series, start, span, summary, grain, held }: ChunkHead): number {
  const { count, firstAt, lastAt, first, last, sum, min, max } = summary;
  const kind = kindNumber(first);
  const numbers = [
    series,
    start,
    span,
    count,
    firstAt,
    lastAt,
    sum.high,
    sum.low,
    min,
    max,
    packGrain({ grain, held }),
    kind,
  ];
  if (typeof first === "string") return checksum(numbers, first, "\0", String(last));
  numbers.push(Number(first), Number(last));
  return checksum(numbers);
}

export function partsSum({ series, start, span, grain }: ChunkHead, parts: Uint8Array): number {
  return checksum([series, start, span, grain], parts);
}

export function joinedSum(series: number, stretch: number, days: Uint8Array): number {
  return checksum([series, stretch, days.length], days);
}

export function contentSum(
  { series, start, count }: Pick<ChunkHead, "series" | "start"> & { readonly count: number },
  { presence, values }: ChunkContent,
): number {
  return checksum([series, start, count, presence.length], presence, values);
}

export function segmentSum({ device, start, span, rows, times }: Segment): number {
  return checksum([device, start, span, rows], times);
}

export function journalSum(sequence: number, batch: Uint8Array): number {
  return checksum([sequence], batch);
}

export function latestSum({ series, at, value }: Latest): number {
  const kind = kindNumber(value);
  return typeof value === "string" ? checksum([series, at, kind], value) : checksum([series, at, kind, Number(value)]);
}

export function deviceSum(id: number, deviceId: string): number {
  return checksum([id], deviceId);
}

export function seriesSum(numbers: readonly [id: number, device: number, kind: number], attribute: string): number {
  return checksum(numbers, attribute);
}

export function definitionSum({ series, device, kind, deviceId, attribute }: SeriesDefinition): number {
  return checksum([series, device, KINDS.indexOf(kind), deviceId.length], deviceId, attribute);
}

function kindNumber(value: Scalar): number {
  if (typeof value === "number") return KINDS.indexOf("number");
  return KINDS.indexOf(typeof value === "boolean" ? "boolean" : "text");
}
