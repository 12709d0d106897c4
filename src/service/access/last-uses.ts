import type { Instant } from "#core/time/instant.ts";

/** When tokens or sessions were last used, gathered so that a use costs no write. */
export interface LastUses {
  note(id: string, at: Instant): void;
  /** Undefined when no use was seen that is not stored yet. */
  get(id: string): Instant | undefined;
  /** Stores what was seen since the previous call. */
  flush(): Promise<void>;
}

export function createLastUses(store: (uses: ReadonlyMap<string, Instant>) => Promise<void>): LastUses {
  let uses = new Map<string, Instant>();
  /** Uses that are being stored: until the store has them, `get` answers from here. */
  let leaving: ReadonlyMap<string, Instant> = new Map();
  return {
    note: (id, at) => void uses.set(id, at),
    get: (id) => uses.get(id) ?? leaving.get(id),
    async flush() {
      if (uses.size === 0) return;
      const seen = uses;
      uses = new Map();
      leaving = seen;
      try {
        await store(seen);
      } catch (error) {
        uses = new Map([...seen, ...uses]);
        throw error;
      } finally {
        leaving = new Map();
      }
    },
  };
}
