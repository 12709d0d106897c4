import type { Instant } from "#core/time/instant.ts";

export interface RememberOptions {
  readonly now: () => Instant;
  readonly forMs: number;
  readonly atMost: number;
}

/** Looks a key up once and keeps the answer for a while, an empty answer too. A failed lookup is not kept. */
export function remember<Value>(
  lookUp: (key: string) => Promise<Value>,
  { now, forMs, atMost }: RememberOptions,
): (key: string) => Promise<Value> {
  const known = new Map<string, { readonly answer: Promise<Value>; readonly at: Instant }>();
  return (key) => {
    const found = known.get(key);
    // The clock was set back, so the age of the entry is unknown.
    if (found !== undefined && Math.abs(now() - found.at) < forMs) return found.answer;
    known.delete(key);
    const answer = lookUp(key);
    known.set(key, { answer, at: now() });
    answer.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > atMost && oldest !== undefined) known.delete(oldest);
    return answer;
  };
}
