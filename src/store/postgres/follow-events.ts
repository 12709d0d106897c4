// The events of all nodes, as they become visible. They are read from the table, because another node may have stored
// them, and because transactions may commit in another order than that of their numbers.
import { instant } from "#core/time/instant.ts";
import type { EventOutbox, StoredEvent } from "#service/ports/event-outbox.ts";
import type { Database, Row } from "#store/database.ts";
import { READ_TOGETHER } from "#store/records/event-outbox.ts";
import { CUT_ANYWHERE, KEPT_BYTES } from "#store/records/event-room.ts";
import { EVENT_COLUMNS, parseEvents } from "#store/records/event-row.ts";
import { number, optionalNumber } from "#store/records/row.ts";
import { SETTLED } from "./change-numbers.ts";

/** How often the table is read without being woken: while notifications of other nodes arrive, and while they do not. */
const LOOK_EVERY_MS = { listening: 1_000, deaf: 200 };
/**
 * A look begins so long after what woke it. The events of a moment are read together, and whoever waits for a command has its
 * answer before anybody reads about it.
 */
const GATHER_MS = 20;
/** The first and the longest wait for events that are stored, while an older transaction may still store others. */
const UNSETTLED_MS = { first: 2, longest: 200 };
const AGAIN_MS = 1_000;

/** The newest event, the newest that no older transaction can precede, where all later ones are kept, and the bytes of all. */
const ENDS = `SELECT (SELECT max(position) FROM event) AS newest,
  (SELECT max(position) FROM event WHERE position <= (${SETTLED})) AS settled,
  (${CUT_ANYWHERE}) AS cut, (${KEPT_BYTES}) AS used`;

const PAGE_EVENTS = 64;
const PAGE = `SELECT ${EVENT_COLUMNS}, (${CUT_ANYWHERE}) AS cut FROM event
  WHERE position > ? AND position <= ? ORDER BY position LIMIT ${PAGE_EVENTS}`;

interface Ends {
  readonly newest: number;
  readonly settled: number;
  /** Of some site, events up to here may be missing. */
  readonly cut: number;
}

export interface EventFollower {
  readonly watch: EventOutbox["watch"];
  /** This node, or another one, has stored something. */
  wake(): void;
  /** The bytes that were kept when somebody last looked. */
  readonly used: () => number;
  stop(): Promise<void>;
}

export function followEvents(reader: Database, isListening: () => boolean = () => false): EventFollower {
  const stops = new Set<() => Promise<void>>();
  const wakes = new Set<() => void>();
  let used = 0;

  async function readEnds(): Promise<Ends> {
    const row = await reader.one(ENDS);
    used = optionalNumber(row, "used") ?? 0;
    const of = (column: string) => optionalNumber(row, column) ?? 0;
    return { newest: of("newest"), settled: of("settled"), cut: of("cut") };
  }

  /** Gives the position up to which the listener has got the events. */
  async function* readPage(position: number, ends: Ends): AsyncGenerator<readonly [number, readonly StoredEvent[]]> {
    const rows = await reader.all(PAGE, position, ends.settled);
    // Some that were there a moment ago may have made room for others. Then there is a gap, which the next look finds.
    if (rows.some((row) => (optionalNumber(row, "cut") ?? 0) > Math.max(ends.cut, position))) return;
    for (let at = 0; at < rows.length; at += READ_TOGETHER) {
      const some: readonly Row[] = rows.slice(at, at + READ_TOGETHER);
      // An ephemeral execution is new when its events are.
      const events = await parseEvents(reader, some, instant(0));
      yield [number(some.at(-1) ?? {}, "position"), events.filter((event) => event !== undefined)];
    }
  }

  async function follow(
    listener: (event: StoredEvent) => void,
    from: number,
    { signal, onGap }: { readonly signal: AbortSignal; readonly onGap: (position: number) => void },
  ): Promise<void> {
    let position = from;
    let unsettledMs = UNSETTLED_MS.first;
    let reported = 0;
    const sleep = createSleep(signal);
    wakes.add(sleep.wake);
    signal.addEventListener("abort", () => wakes.delete(sleep.wake), { once: true });
    while (!signal.aborted) {
      try {
        sleep.begin();
        const ends = await readEnds();
        if (position > ends.settled || (position < ends.cut && reported < ends.cut)) {
          // This node was away for longer than the events of some site are kept. It goes on with all that are.
          position = Math.min(position, ends.settled);
          reported = ends.cut;
          onGap(position);
        }
        if (position < ends.settled) {
          // The events are on the coordinator, and what they are about may be on another server.
          await reader.spread?.settle();
          for await (const [next, events] of readPage(position, ends)) {
            if (signal.aborted) return;
            for (const event of events) listener(event);
            position = next;
          }
          if (position < ends.settled) continue;
        }
        const isSettled = ends.newest <= position;
        unsettledMs = isSettled ? UNSETTLED_MS.first : Math.min(2 * unsettledMs, UNSETTLED_MS.longest);
        const waitMs = isListening() ? LOOK_EVERY_MS.listening : LOOK_EVERY_MS.deaf;
        await sleep.until(isSettled ? waitMs : unsettledMs);
      } catch {
        // The database cannot be reached now: nothing is lost, and the events follow later.
        await sleep.until(AGAIN_MS);
      }
    }
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
      for (const wake of wakes) wake();
    },
    used: () => used,
    async stop() {
      await Promise.all([...stops].map((stop) => stop()));
    },
  };
}

/** The pauses between looks. A pause is short when something was stored since the look before it began. */
function createSleep(signal: AbortSignal) {
  let isAwake = false;
  let end = (_afterMs: number) => {};
  signal.addEventListener("abort", () => end(0), { once: true });
  return {
    begin() {
      isAwake = false;
    },
    wake() {
      if (isAwake) return;
      isAwake = true;
      end(GATHER_MS);
    },
    until(ms: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      let timer = setTimeout(resolve, isAwake ? Math.min(ms, GATHER_MS) : ms);
      end = (afterMs) => {
        clearTimeout(timer);
        timer = setTimeout(resolve, Math.min(ms, afterMs));
      };
      if (signal.aborted) resolve();
      return promise.finally(() => {
        end = () => {};
        clearTimeout(timer);
      });
    },
  };
}
