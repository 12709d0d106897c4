// Counts the open executions of each site and the bytes of their arguments, so that one site cannot take the room of
// all.

export interface OpenUse {
  readonly count: number;
  readonly bytes: number;
}

interface Counted {
  readonly siteId: string;
  readonly bytes: number;
}

export interface OpenExecutions {
  /** Does nothing when it is counted already. */
  add(id: string, counted: () => Counted): void;
  remove(id: string): void;
  has(id: string): boolean;
  of(siteId: string): OpenUse;
  /** Bytes of the execution's arguments; 0 when it is not open. */
  bytesOf(id: string): number;
}

const NONE: OpenUse = { count: 0, bytes: 0 };

export function createOpenExecutions(): OpenExecutions {
  const all = new Map<string, Counted>();
  const sites = new Map<string, OpenUse>();
  const of = (siteId: string) => sites.get(siteId) ?? NONE;
  return {
    add(id, counted) {
      if (all.has(id)) return;
      const one = counted();
      all.set(id, one);
      const { count, bytes } = of(one.siteId);
      sites.set(one.siteId, { count: count + 1, bytes: bytes + one.bytes });
    },
    remove(id) {
      const one = all.get(id);
      if (one === undefined) return;
      all.delete(id);
      const { count, bytes } = of(one.siteId);
      if (count === 1) sites.delete(one.siteId);
      else sites.set(one.siteId, { count: count - 1, bytes: bytes - one.bytes });
    },
    has: (id) => all.has(id),
    of,
    bytesOf: (id) => all.get(id)?.bytes ?? 0,
  };
}
