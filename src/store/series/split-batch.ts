// Splits a batch by its devices, so that each partition of a shared journal has rows of its own. Definitions are left
// out: a shared database has them before the first point.
import { readDeviceParts } from "./batch.ts";

export function splitBatch(
  batch: Uint8Array,
  partitionOf: (device: number) => number,
): ReadonlyMap<number, Uint8Array> {
  const parts = new Map<number, Uint8Array[]>();
  const lengths = new Map<number, number>();
  let run = { partition: -1, from: 0, to: 0 };
  const close = () => {
    if (run.partition < 0) return;
    const part = batch.subarray(run.from, run.to);
    const known = parts.get(run.partition);
    if (known === undefined) parts.set(run.partition, [part]);
    else known.push(part);
    lengths.set(run.partition, (lengths.get(run.partition) ?? 0) + part.length);
  };
  readDeviceParts(batch, (device, from, to) => {
    const partition = partitionOf(device);
    if (partition === run.partition && from === run.to) run.to = to;
    else {
      close();
      run = { partition, from, to };
    }
  });
  close();
  return new Map([...parts].map(([partition, pieces]) => [partition, joined(pieces, lengths.get(partition) ?? 0)]));
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
