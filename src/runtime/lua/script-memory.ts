// The memory of all scripts together, counted over all threads. A thread that dies cannot subtract its memory, so each
// thread also has its own count, which the pool then subtracts.

const KIB = 1_024;
/** What a state takes beside Lua's own heap: static data and the used part of the C stack. */
const STATE_BYTES = 256 * KIB;
/** Half of the memory is for scripts that hold no more than this: large ones do not keep small ones from running. */
const SMALL_BYTES = 1_024 * KIB;
const FOR_LARGE = 0.5;

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
  /** For a state whose heap grows by so many bytes, to this size. */
  grow(bytes: number, heapBytes: number): boolean;
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
  function add(bytes: number, limit: number): boolean {
    // Rounded to the same size when it is taken and when it is given back.
    const kib = Math.sign(bytes) * Math.ceil(Math.abs(bytes) / KIB);
    const before = Atomics.add(used, 0, kib);
    if (kib > 0 && (before + kib) * KIB > limit) {
      Atomics.sub(used, 0, kib);
      return false;
    }
    Atomics.add(own, at, kib);
    return true;
  }
  const limitOf = (heapBytes: number) => (heapBytes > SMALL_BYTES ? limitBytes * FOR_LARGE : limitBytes);
  return {
    limitBytes,
    open: (heapBytes) => add(heapBytes + STATE_BYTES, limitOf(heapBytes)),
    grow: (bytes, heapBytes) => add(bytes, limitOf(heapBytes)),
    close: (heapBytes) => void add(-(heapBytes + STATE_BYTES), limitBytes),
  };
}

/** After the end of a thread. */
export function giveBack({ used }: ScriptMemory, own: Int32Array, at: number): void {
  Atomics.sub(used, 0, Atomics.exchange(own, at, 0));
}
