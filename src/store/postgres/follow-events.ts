// The events of all nodes, as they become visible. They are read from the table, because another node may have stored
// them, and because transactions may commit in another order than that of their numbers.
import type { EventFilter } from "#core/event/event-filter.ts";
import { instant } from "#core/time/instant.ts";
import type { EventOutbox, StoredEvent } from "#service/ports/event-outbox.ts";
import type { ReadDatabase } from "#store/database.ts";
import { readEvents } from "#store/records/event-outbox.ts";
import { optionalNumber } from "#store/records/row.ts";

const EVERYTHING: EventFilter = {
  ...{ scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined },
};
/** How often the table is read without being woken: while notifications of other nodes arrive, and while they do not. */
const LOOK_EVERY_MS = { listening: 1_000, deaf: 200 };
/** The first and the longest wait for events that are stored, while an older transaction may still store others. */
const UNSETTLED_MS = { first: 2, longest: 200 };
const AGAIN_MS = 1_000;

/** The newest event, the newest that no older transaction can precede, and the bytes of all. */
const ENDS = `SELECT (SELECT max(position) FROM event) AS newest,
  (SELECT max(position) FROM event WHERE position <= ?) AS settled,
  (SELECT total FROM event ORDER BY position DESC LIMIT 1)
    - (SELECT total - bytes FROM event ORDER BY position LIMIT 1) AS used`;

export interface EventFollower {
  readonly watch: EventOutbox["watch"];
  /** This node, or another one, has stored something. */
  wake(): void;
  /** The bytes that were kept when somebody last looked. */
  readonly used: () => number;
  stop(): Promise<void>;
}

export function followEvents(reader: ReadDatabase, isListening: () => boolean = () => false): EventFollower {
  const stops = new Set<() => Promise<void>>();
  const wakes = new Set<() => void>();
  let used = 0;
  /** Woken since the latest look began. */
  let isAwake = false;

  async function follow(
    listener: (event: StoredEvent) => void,
    from: number,
    { signal, onGap }: { readonly signal: AbortSignal; readonly onGap: (position: number) => void },
  ): Promise<void> {
    let position = from;
    let unsettledMs = UNSETTLED_MS.first;
    while (!signal.aborted) {
      try {
        isAwake = false;
        // An ephemeral execution is new when its events are.
        const page = await readEvents(reader, { position, filter: EVERYTHING, now: instant(0) });
        if (signal.aborted) return;
        for (const event of page?.events ?? []) listener(event);
        const isEnd = page === undefined || page.next === position;
        position = page?.next ?? position;
        if (!isEnd) continue;
        const ends = await reader.one(ENDS, await reader.settledChange());
        used = optionalNumber(ends, "used") ?? 0;
        const settled = optionalNumber(ends, "settled") ?? 0;
        if (page === undefined && settled !== position) {
          // This node was away for longer than events are kept.
          position = settled;
          onGap(position);
          continue;
        }
        const isSettled = (optionalNumber(ends, "newest") ?? 0) <= position;
        unsettledMs = isSettled ? UNSETTLED_MS.first : Math.min(2 * unsettledMs, UNSETTLED_MS.longest);
        const waitMs = isListening() ? LOOK_EVERY_MS.listening : LOOK_EVERY_MS.deaf;
        if (!isAwake) await nextLook(isSettled ? waitMs : unsettledMs, signal);
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
    watch(listener, after, onGap = () => {}) {
      const leaving = new AbortController();
      const ended = follow(listener, after, { signal: leaving.signal, onGap });
      const stop = () => {
        stops.delete(stop);
        leaving.abort();
        return ended;
      };
      stops.add(stop);
      return () => void stop();
    },
    wake() {
      isAwake = true;
      for (const wake of wakes) wake();
    },
    used: () => used,
    async stop() {
      await Promise.all([...stops].map((stop) => stop()));
    },
  };
}
