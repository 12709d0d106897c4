// The events of all nodes, as they become visible. They are read from the table, because another node may have stored
// them, and because transactions may commit in another order than that of their numbers.
import type { EventFilter } from "#core/event/event-filter.ts";
import { instant } from "#core/time/instant.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import type { ReadDatabase } from "#store/database.ts";
import { readEvents } from "#store/records/event-outbox.ts";
import { number } from "#store/records/row.ts";

const EVERYTHING: EventFilter = {
  ...{ scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined },
};
/** How often the table is read for events of other nodes. */
const LOOK_EVERY_MS = 200;
const AGAIN_MS = 1_000;

export interface EventFollower {
  watch(listener: (event: StoredEvent) => void, after: number): () => void;
  /** This node has stored something. */
  wake(): void;
  /** The bytes that were kept when somebody last looked. */
  readonly used: () => number;
  stop(): Promise<void>;
}

export function followEvents(reader: ReadDatabase): EventFollower {
  const stops = new Set<() => Promise<void>>();
  const wakes = new Set<() => void>();
  let used = 0;

  async function follow(listener: (event: StoredEvent) => void, from: number, signal: AbortSignal): Promise<void> {
    let position = from;
    while (!signal.aborted) {
      try {
        // An ephemeral execution is new when its events are.
        const page = await readEvents(reader, { position, filter: EVERYTHING, now: instant(0) });
        if (signal.aborted) return;
        for (const event of page?.events ?? []) listener(event);
        const isEnd = page === undefined || page.next === position;
        position = page?.next ?? position;
        if (!isEnd) continue;
        used = number(await reader.one("SELECT coalesce(sum(bytes), 0) AS used FROM event"), "used");
        await nextLook(LOOK_EVERY_MS, signal);
      } catch {
        // The database cannot be reached now: nothing is lost, and the events follow later.
        await nextLook(AGAIN_MS, signal);
      }
    }
  }

  function nextLook(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wakes.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      wakes.delete(resolve);
    });
  }

  return {
    watch(listener, after) {
      const leaving = new AbortController();
      const ended = follow(listener, after, leaving.signal);
      const stop = () => {
        stops.delete(stop);
        leaving.abort();
        return ended;
      };
      stops.add(stop);
      return () => void stop();
    },
    wake() {
      for (const wake of wakes) wake();
    },
    used: () => used,
    async stop() {
      await Promise.all([...stops].map((stop) => stop()));
    },
  };
}
