// The outbox in memory, as simple as possible. Stores in memory add the events of their changes to it.
import type { BusbarEvent } from "#core/event/event.ts";
import { selects } from "#core/event/event-filter.ts";
import type { EventOutbox, StoredEvent } from "#service/ports/event-outbox.ts";

export interface MemoryOutbox extends EventOutbox {
  add(event: BusbarEvent): void;
  /** All that is kept, oldest first. */
  readonly kept: readonly StoredEvent[];
  /** Drops all but the newest so many, as if there were no more room. */
  keepOnly(count: number): void;
}

const PAGE = 50;

export function createMemoryOutbox(): MemoryOutbox {
  const watchers = new Set<(event: StoredEvent) => void>();
  let kept: { readonly event: StoredEvent; readonly storedAt: number }[] = [];
  let latest = 0;
  const first = () => (kept[0]?.event.position ?? latest + 1) - 1;
  function add(event: BusbarEvent): void {
    const stored = { ...event, position: ++latest };
    kept.push({ event: stored, storedAt: Date.now() });
    for (const notify of watchers) notify(stored);
  }
  return {
    add,
    get kept() {
      return kept.map(({ event }) => event);
    },
    keepOnly(count) {
      kept = kept.slice(-count);
    },
    async append(events) {
      if (events.some(({ data }) => typeof data !== "string")) throw new Error("an event without data");
      for (const event of events) add(event);
    },
    latest: async () => latest,
    async after(position, filter) {
      if (position < first() || position > latest) return undefined;
      const looked = kept.map(({ event }) => event).filter((event) => event.position > position);
      const events = looked.slice(0, PAGE).filter((event) => selects(filter, event));
      return { events, next: looked.slice(0, PAGE).at(-1)?.position ?? position };
    },
    watch(listener, _after) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    async prune(before) {
      const young = kept.findIndex(({ storedAt }) => storedAt >= before);
      const dropped = young === -1 ? Math.max(0, kept.length - 1) : Math.min(young, kept.length - 1);
      kept = kept.slice(dropped);
      return dropped;
    },
    size: { name: "event_outbox", limit: Number.MAX_SAFE_INTEGER, used: () => kept.length },
  };
}
