// A state right after our prelude has run. It is copied for each device instead of running the prelude again, so a
// start is a copy of some 200 KiB. Everything that Lua knows is in the instance's memory, and the C stack is no longer
// needed.
import { FIXED_BYTES } from "./lua-wasm.ts";

/** Where things lie in the memory of every state made from one image. */
export interface StatePointers {
  readonly main: number;
  readonly scratch: number;
  readonly resultCount: number;
  readonly info: { readonly record: number; readonly what: number };
  /** Reference to the function `instant`. */
  readonly instant: number;
}

export interface StateImage {
  readonly pointers: StatePointers;
  readonly byteLength: number;
  /** Static data, from 0. */
  readonly data: Uint8Array;
  /** From the end of the C stack. */
  readonly heap: Uint8Array;
}

/** C's stack grows down from the heap to here. */
const STACK_END = 35_136;
const PAGE_BYTES = 65_536;

export function takeImage(memory: WebAssembly.Memory, pointers: StatePointers): StateImage {
  const bytes = new Uint8Array(memory.buffer);
  let end = bytes.length;
  while (end > FIXED_BYTES && bytes[end - 1] === 0) end -= 1;
  return {
    pointers,
    byteLength: bytes.length,
    data: bytes.slice(0, STACK_END),
    heap: bytes.slice(FIXED_BYTES, end),
  };
}

/** Into an instance that has just been made: its table holds the same functions in the same places. */
export function layImage(memory: WebAssembly.Memory, image: StateImage): StatePointers {
  const missing = image.byteLength - memory.buffer.byteLength;
  if (missing > 0) memory.grow(missing / PAGE_BYTES);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(image.data, 0);
  bytes.set(image.heap, FIXED_BYTES);
  return image.pointers;
}
