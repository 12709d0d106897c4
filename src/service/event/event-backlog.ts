// What a listener missed that resumes: the events of the outbox after its position, page by page, until the hub keeps all
// that follows. When the outbox has dropped some of them, it says so and sends the current state instead.
import { type BusbarEvent, LIVE_KINDS, STORED_KINDS } from "#core/event/event.ts";
import type { EventFilter } from "#core/event/event-filter.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { EventIds } from "#service/event/event-id.ts";
import { renderEvent, renderGap } from "#service/event/event-wire.ts";
import type { Needs } from "#service/ports.ts";

export interface BacklogNeeds extends Pick<Needs, "now"> {
  readonly events: Pick<EventHub, "sequenceAt" | "lastSequence" | "lastPosition">;
  readonly outbox: Pick<Needs["outbox"], "after">;
  readonly currentState: (filter: EventFilter) => AsyncIterable<BusbarEvent>;
  readonly ids: EventIds;
}

/** Where the listener goes on: after this event of the hub, without the stored events up to the position. */
export interface Continuation {
  readonly sequence: number;
  readonly position: number;
}

interface Missed {
  readonly filter: EventFilter;
  /** Undefined when nobody knows where it stopped. */
  readonly from: number | undefined;
  /** Whether the listener is a new one, and so missed nothing of what is not stored. */
  readonly isBeginning: boolean;
}

/** `turn` resolves when the listener may read a page: reading takes time of the main thread. */
export async function* readBacklog(
  needs: BacklogNeeds,
  { filter, from, isBeginning }: Missed,
  turn: () => Promise<void>,
): AsyncGenerator<Buffer, Continuation> {
  const { events, ids } = needs;
  let position = from;
  let gap = isBeginning ? undefined : renderGap(filter, LIVE_KINDS);
  for (;;) {
    await turn();
    const page = position === undefined ? undefined : await needs.outbox.after(position, filter, needs.now());
    if (page === undefined) {
      gap = renderGap(filter, [...STORED_KINDS, ...LIVE_KINDS]);
      if (gap !== undefined) yield gap;
      // Whatever changes from here on is sent after the state.
      position = events.lastPosition;
      for await (const event of needs.currentState(filter)) yield renderEvent(event);
    } else {
      if (gap !== undefined) yield gap;
      for (const event of page.events) {
        yield renderEvent(event, ids.render({ position: event.position, sequence: undefined }));
      }
      position = page.next;
    }
    gap = undefined;
    // The outbox may be ahead of the hub by events that are about to reach it.
    const sequence = position > events.lastPosition ? events.lastSequence : events.sequenceAt(position);
    if (sequence !== undefined) return { sequence, position };
  }
}
