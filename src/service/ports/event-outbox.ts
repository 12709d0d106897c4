import type { BusbarEvent, PreparedEvent } from "#core/event/event.ts";
import type { EventFilter } from "#core/event/event-filter.ts";
import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { Instant } from "#core/time/instant.ts";

export type StoredEvent = BusbarEvent & {
  /** Rises from event to event, not always by one. All processes see the events in this order. */
  readonly position: number;
};

export interface EventPage {
  /** In the order of their positions. */
  readonly events: readonly StoredEvent[];
  /** Everything up to here was looked at. The next page begins after it; equal to the asked position at the end. */
  readonly next: number;
}

/**
 * The events of executions, alerts, connectivity, configuration and devices. An event is stored in the transaction of
 * its change, so there is one for each change that is durable, and none for another. The stores of these subjects add
 * their events themselves. Positions stay valid across restarts. Several processes may share the records: each sees the
 * events of all in the same order, and a change that began after the commit of another one comes after it.
 */
export interface EventOutbox {
  /** Stores events that belong to no change of the records, all or none. */
  append(events: readonly PreparedEvent[]): Promise<void>;
  /** The position of the newest event; 0 before the first. */
  latest(): Promise<number>;
  /**
   * A page of the events after the position; 0 is the beginning. Undefined when some of them are no longer kept, or the
   * position is of other records. An execution or its payload that was deleted since is left out. An ephemeral
   * execution is left out once it is a day old at `now`.
   */
  after(position: number, filter: EventFilter, now: Instant): Promise<EventPage | undefined>;
  /**
   * Calls the listener with each event after the position once it is durable, in the order of positions and without a
   * gap. The position is that of the newest event. The listener must not throw. Returns the function that unsubscribes.
   * A process that cannot reach the records for longer than events are kept misses some: then `onGap` is called with the
   * position after which it goes on.
   */
  watch(listener: (event: StoredEvent) => void, after: number, onGap?: (position: number) => void): () => void;
  /** Deletes older events except the newest, a bounded number at a time. Returns how many. */
  prune(before: Instant): Promise<number>;
  /** How many bytes of events are kept. At the limit the oldest are deleted. */
  readonly size: BufferUse;
}
