// Hands events to listeners, stored ones in the order of the outbox. Keeps the latest, as many as fit its budget, so that
// a stream that was away for a moment resumes without a read of the outbox.
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { type ByteBudget, createByteBudget } from "#core/share/byte-budgets.ts";
import type { PublishedEvent } from "#service/event/happening.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";

export type LiveEvent = PublishedEvent & {
  /** Rises by one with each event of this run. */
  readonly sequence: number;
  /** Its position in the outbox. An event that is not stored has that of the stored one before it. */
  readonly position: number;
  readonly isStored: boolean;
};

type Listener = (event: LiveEvent) => void;

export interface EventHub {
  /** Hands on an event of the outbox. */
  take(event: StoredEvent): void;
  /** Stored events are missing up to this position: listeners cannot go on from before. */
  skip(position: number): void;
  /** Hands on an event that is not stored. */
  publish(event: PublishedEvent): void;
  /** Returns the function that unsubscribes. A listener must not throw. */
  listen(listener: Listener): () => void;
  /**
   * Keeps events for a stream from now on. The returned function ends that; then as many more events are kept as fit, for a
   * stream that comes back. Later, nobody could resume from them, and none are kept.
   */
  keepForStream(): () => void;
  /** The event with this number; undefined when it does not exist yet or is no longer kept. */
  at(sequence: number): LiveEvent | undefined;
  /** Whether every event after this one is still kept. */
  remembers(sequence: number): boolean;
  /** The number of the stored event at this position, or of the one before it; undefined when not all since are kept. */
  sequenceAt(position: number): number | undefined;
  readonly lastSequence: number;
  readonly lastPosition: number;
}

const MAX_KEPT = 5_000;
export const EVENT_BUFFER_BYTES = 32 * 1_048_576;
/**
 * An event is kept as an object, with up to two bytes per character, and once somebody listens also as the text that is
 * sent.
 */
const COPIES = 3;
const SELF_BYTES = 256;
/** An execution without its arguments and its response's payload. */
const EXECUTION_BYTES = 768;

interface HubOptions {
  /** The newest event of the outbox when the hub begins. */
  readonly position?: number;
  readonly maxKept?: number;
  readonly budget?: ByteBudget;
}

export function createEventHub(options: HubOptions = {}): EventHub {
  const { maxKept = MAX_KEPT, budget = createByteBudget("event_buffer", EVENT_BUFFER_BYTES) } = options;
  const listeners = new Set<Listener>();
  /** A ring: event n is at n % maxKept. */
  const ring: ({ readonly event: LiveEvent; readonly bytes: number } | undefined)[] = [];
  let lastSequence = 0;
  let lastPosition = options.position ?? 0;
  /** The number of the oldest event that is kept; the number of the next one when none is. */
  let first = 1;
  /** The position before the oldest event that is kept. */
  let floor = lastPosition;
  let streams = 0;
  /** Without a stream, events are kept up to this number. */
  let keepUpTo = 0;

  function forgetOldest(): void {
    const oldest = ring[first % maxKept];
    budget.give(oldest?.bytes ?? 0);
    floor = oldest?.event.position ?? floor;
    ring[first % maxKept] = undefined;
    first++;
  }

  function keep(event: LiveEvent): void {
    const bytes = SELF_BYTES + COPIES * sizeOf(event);
    if (event.sequence - first >= maxKept) forgetOldest();
    while (first < event.sequence && bytes > budget.limit - budget.used()) forgetOldest();
    // An event larger than the budget is delivered, but not kept.
    if (budget.take(bytes)) ring[event.sequence % maxKept] = { event, bytes };
    else forgetUpTo(event);
  }

  function forgetUpTo({ sequence, position }: Pick<LiveEvent, "sequence" | "position">): void {
    while (first < sequence) forgetOldest();
    first = sequence + 1;
    floor = position;
  }

  function deliver(event: LiveEvent): void {
    lastSequence = event.sequence;
    lastPosition = event.position;
    // Keeping costs more than handing on: what is kept is copied by two collections of young objects, and then grows old.
    if (streams > 0 || event.sequence <= keepUpTo) keep(event);
    else forgetUpTo(event);
    for (const listener of listeners) listener(event);
  }

  const at = (sequence: number) =>
    sequence >= first && sequence <= lastSequence ? ring[sequence % maxKept]?.event : undefined;

  return {
    take: (event) => deliver({ ...event, sequence: lastSequence + 1, isStored: true }),
    publish: (event) => deliver({ ...event, sequence: lastSequence + 1, position: lastPosition, isStored: false }),
    skip(position) {
      // One number that nobody gets: every listener has fallen behind, and resumes from the outbox.
      lastSequence++;
      lastPosition = position;
      forgetUpTo({ sequence: lastSequence, position });
    },
    remembers: (sequence) => sequence <= lastSequence && sequence >= first - 1,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    keepForStream() {
      streams++;
      return () => {
        streams--;
        keepUpTo = lastSequence + maxKept;
      };
    },
    at,
    sequenceAt(position) {
      if (position < floor || position > lastPosition) return undefined;
      // Positions never fall, so the first event that is not before the position is found by halving.
      let [low, high] = [first, lastSequence + 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((at(middle)?.position ?? position) < position) low = middle + 1;
        else high = middle;
      }
      const found = at(low);
      return found?.isStored === true && found.position === position ? low : low - 1;
    },
    get lastSequence() {
      return lastSequence;
    },
    get lastPosition() {
      return lastPosition;
    },
  };
}

/** An execution is measured by what its caller and its device chose; the rest of it is always about as large. */
function sizeOf(event: LiveEvent): number {
  if ("data" in event) return event.data.length;
  if ("entry" in event) return approximateBytes(event.entry);
  if ("control" in event) return approximateBytes(event.control);
  if (!("execution" in event)) return 0;
  const { request, response } = event.execution;
  return EXECUTION_BYTES + approximateBytes(request.arguments) + approximateBytes(response?.payload);
}
