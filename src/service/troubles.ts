// Current problems of a running service: part of the disk, a stored value, the demo. /readyz lists them as degraded and
// /metrics counts them, so that nothing that was set aside is forgotten.

/** Both are public, so neither holds an id, a path or a value. */
export interface Trouble {
  readonly part: string;
  readonly message: string;
}

export interface Troubles {
  /** Each trouble is logged once with its details, which appear in the log only. */
  report(trouble: Trouble, details?: Readonly<Record<string, unknown>>): void;
  /** Ends every trouble of a part, or the one with this message. */
  clear(part: string, message?: string): void;
  list(): readonly Trouble[];
  /** How often each part was in trouble since the start, including troubles that are over. */
  counts(): ReadonlyMap<string, number>;
}

/** Logs the first finding of its kind only: a damaged file may cause thousands. */
const MAX_LOGGED = 1_000;
const MAX_LISTED = 100;

export function createTroubles(
  log: (trouble: Trouble, details: Readonly<Record<string, unknown>>) => void,
  logEnd: (part: string) => void = () => {},
): Troubles {
  const current = new Map<string, Trouble>();
  const logged = new Set<string>();
  const counts = new Map<string, number>();
  return {
    report(trouble, details = {}) {
      counts.set(trouble.part, (counts.get(trouble.part) ?? 0) + 1);
      const key = keyOf(trouble);
      if (current.size < MAX_LISTED) current.set(key, trouble);
      const line = `${key} ${String(details["place"] ?? "")}`;
      if (logged.has(line) || logged.size >= MAX_LOGGED) return;
      logged.add(line);
      log(trouble, details);
    },
    clear(part, message) {
      let isEnded = false;
      for (const [key, trouble] of current) {
        if (trouble.part !== part || (message !== undefined && trouble.message !== message)) continue;
        isEnded = current.delete(key) || isEnded;
      }
      if (!isEnded) return;
      const start = message === undefined ? `${part}: ` : `${keyOf({ part, message })} `;
      for (const line of logged) if (line.startsWith(start)) logged.delete(line);
      logEnd(part);
    },
    list: () => [...current.values()],
    counts: () => counts,
  };
}

function keyOf({ part, message }: Trouble): string {
  return `${part}: ${message}`;
}
