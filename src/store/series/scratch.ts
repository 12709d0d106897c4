// Reusable memory to decode into. A day of one series is close to a megabyte, and allocating and collecting that much
// for every chunk costs as much as decoding it.
import type { PartField } from "./part-levels.ts";

export interface Scratch {
  /** At least `count` long, with arbitrary content; valid until the next call of the same method. */
  numbers(count: number): Float64Array;
  times(count: number): Float64Array;
  flags(count: number): Uint8Array;
  presence(count: number): Uint8Array;
  /** Exactly `count` long. */
  part(field: PartField, count: number): Float64Array;
}

/** Arrays beyond this total are left to the garbage collector. */
const MAX_FREE = 10;
const free: Scratch[] = [];

/** Belongs to the caller until it is given back. */
export function takeScratch(): Scratch {
  return free.pop() ?? createScratch();
}

export function giveBack(scratch: Scratch): void {
  if (free.length < MAX_FREE) free.push(scratch);
}

function createScratch(): Scratch {
  const parts = new Map<PartField, (count: number) => Float64Array>();
  return {
    numbers: growing((count) => new Float64Array(count)),
    times: growing((count) => new Float64Array(count)),
    flags: growing((count) => new Uint8Array(count)),
    presence: growing((count) => new Uint8Array(count)),
    part(field, count) {
      const room = parts.get(field) ?? growing((length) => new Float64Array(length));
      parts.set(field, room);
      return room(count).subarray(0, count);
    },
  };
}

function growing<Room extends { readonly length: number }>(make: (count: number) => Room): (count: number) => Room {
  let room = make(0);
  return (count) => {
    if (room.length < count) room = make(count);
    return room;
  };
}
