import { MAX_SPAN, type Span } from "./modbus-map.ts";

/** One request, and what it is made for. */
export interface ReadRequest<T> extends Span {
  readonly wanted: readonly T[];
}

/**
 * As few requests as possible: what lies close together is read at once, with gaps of at most `maxGap` registers that
 * nobody wants. Nothing is cut in two, so a value never mixes two moments.
 */
export function planReads<T extends Span>(wanted: readonly T[], maxGap: number): readonly ReadRequest<T>[] {
  const requests: (Span & { readonly wanted: T[]; count: number })[] = [];
  for (const one of [...wanted].sort(byPlace)) {
    const last = requests.at(-1);
    const end = one.address + one.count;
    const isNear =
      last !== undefined &&
      last.unit === one.unit &&
      last.kind === one.kind &&
      one.address <= last.address + last.count + maxGap &&
      end - last.address <= MAX_SPAN[one.kind];
    if (isNear) {
      last.wanted.push(one);
      last.count = Math.max(last.count, end - last.address);
    } else requests.push({ unit: one.unit, kind: one.kind, address: one.address, count: one.count, wanted: [one] });
  }
  return requests;
}

/**
 * Smaller requests for one that the device refuses: without gaps first, then one for each value. Undefined when there is
 * nothing left to divide.
 */
export function splitRead<T extends Span>(request: ReadRequest<T>): readonly ReadRequest<T>[] | undefined {
  const dense = planReads(request.wanted, 0);
  if (dense.length > 1) return dense;
  const bySpan = new Map<string, T[]>();
  for (const one of request.wanted) {
    const key = `${one.address} ${one.count}`;
    bySpan.set(key, [...(bySpan.get(key) ?? []), one]);
  }
  return bySpan.size > 1 ? [...bySpan.values()].flatMap((same) => planReads(same, 0)) : undefined;
}

function byPlace(a: Span, b: Span): number {
  if (a.unit !== b.unit) return a.unit - b.unit;
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.address - b.address || a.count - b.count;
}
