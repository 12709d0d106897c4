// The memory of all scripts together, counted over all threads. A thread that dies cannot subtract its memory, so each
// thread also has its own count, which the pool then subtracts.

const KIB = 1_024;
/** What a state takes beside Lua's own heap: static data and the used part of the C stack. */
const STATE_BYTES = 256 * KIB;

/** Plain data that threads share. */
export interface ScriptMemory {
  /** One number, in KiB. */
  readonly used: Int32Array<SharedArrayBuffer>;
  readonly limitBytes: number;
}

/** What the scripts of one thread hold. */
export interface MemoryAccount {
  readonly limitBytes: number;
  /** For a new state with so much heap. */
  open(heapBytes: number): boolean;
  grow(bytes: number): boolean;
  close(heapBytes: number): void;
}

export function createScriptMemory(limitBytes: number): ScriptMemory {
  return { used: new Int32Array(new SharedArrayBuffer(4)), limitBytes };
}

export function usedBytes({ used }: ScriptMemory): number {
  return Atomics.load(used, 0) * KIB;
}

/** `own` is the thread's count, in KiB. */
export function openMemoryAccount({ used, limitBytes }: ScriptMemory, own: Int32Array, at: number): MemoryAccount {
  function add(bytes: number): boolean {
    // Rounded to the same size when it is taken and when it is given back.
    const kib = Math.sign(bytes) * Math.ceil(Math.abs(bytes) / KIB);
    const before = Atomics.add(used, 0, kib);
    if (kib > 0 && (before + kib) * KIB > limitBytes) {
      Atomics.sub(used, 0, kib);
      return false;
    }
    Atomics.add(own, at, kib);
    return true;
  }
  return {
    limitBytes,
    open: (heapBytes) => add(heapBytes + STATE_BYTES),
    grow: add,
    close: (heapBytes) => void add(-(heapBytes + STATE_BYTES)),
  };
}

/** After the end of a thread. */
export function giveBack({ used }: ScriptMemory, own: Int32Array, at: number): void {
  Atomics.sub(used, 0, Atomics.exchange(own, at, 0));
}
