// Every buffer, queue and cache counts its bytes against a limit, and all of them are listed in one place: /metrics shows
// the list, and docs/limits.md explains it.

/** One buffer, as the list shows it. */
export interface BufferUse {
  /** Snake case, as in the metrics. */
  readonly name: string;
  readonly limit: number;
  readonly used: () => number;
}

export interface ByteBudget extends BufferUse {
  /** Counts the bytes, unless they exceed what is left. */
  take(bytes: number): boolean;
  /** Gives bytes back. */
  give(bytes: number): void;
}

export interface ByteBudgets {
  /** A budget that this list counts for. A name is given once. */
  open(name: string, limit: number): ByteBudget;
  /** Lists a buffer that keeps its own count. */
  watch(buffer: BufferUse): void;
  list(): readonly BufferUse[];
}

export function createByteBudgets(): ByteBudgets {
  const buffers = new Map<string, BufferUse>();
  function add(buffer: BufferUse): void {
    if (buffers.has(buffer.name)) throw new Error(`there are two buffers named ${buffer.name}`);
    buffers.set(buffer.name, buffer);
  }
  return {
    open(name, limit) {
      const budget = createByteBudget(name, limit);
      add(budget);
      return budget;
    },
    watch: add,
    list: () => [...buffers.values()],
  };
}

export function createByteBudget(name: string, limit: number): ByteBudget {
  let used = 0;
  return {
    name,
    limit,
    used: () => used,
    take(bytes) {
      if (used + bytes > limit) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used = Math.max(0, used - bytes);
    },
  };
}
