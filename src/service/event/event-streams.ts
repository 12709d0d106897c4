// All event streams together: limits their number, makes the text of each event once for all, and decides whose turn it
// is.
import type { Readable } from "node:stream";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import type { BusbarEvent } from "#core/event/event.ts";
import type { EventFilter } from "#core/event/event-filter.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Sessions } from "#service/access/sessions.ts";
import { readBacklog } from "#service/event/event-backlog.ts";
import { type Chosen, parseChoice } from "#service/event/event-choice-wire.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import { createEventIds, RUN_BYTES } from "#service/event/event-id.ts";
import {
  type EventStream,
  isBeginning,
  type Listening,
  openEventStream,
  type Wanted,
} from "#service/event/event-stream.ts";
import { renderEvent } from "#service/event/event-wire.ts";
import { createRecentPositions } from "#service/event/recent-positions.ts";
import { type StreamFormat, serverSentEvents } from "#service/event/stream-format.ts";
import { createTelemetryBoard, LIVE_TELEMETRY_BYTES } from "#service/event/telemetry-board.ts";
import { createWakeQueue } from "#service/event/wake-queue.ts";
import { openCallPlaces } from "#service/operation/call-places.ts";
import type { EventOutbox } from "#service/ports/event-outbox.ts";
import type { TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";

const MAX_STREAMS = 2_048;
const RETRY_AFTER_S = 10;

export interface EventStreamNeeds {
  readonly events: EventHub;
  readonly outbox: Pick<EventOutbox, "after">;
  readonly currentState: (filter: EventFilter) => AsyncIterable<BusbarEvent>;
  readonly now: () => Instant;
  /** Encrypts the ids of events. */
  readonly eventKey: Uint8Array;
  readonly feed: TelemetryFeed;
  readonly openSessions: Pick<Sessions, "onEnd" | "isLive">;
  readonly budgets: Pick<ByteBudgets, "open">;
  readonly shares: Pick<Shares, "open">;
  readonly randomBytes: (length: number) => Uint8Array;
}

export interface StreamLimits {
  readonly streamsPerToken: number;
  readonly streamsPerAddress: number;
  readonly streams?: number;
}

export interface EventStreams {
  /** Throws the refusal when there are too many. The stream ends with the call's signal, or when it is destroyed. */
  open(call: Listening, wanted: WantedStream): Readable;
}

interface WantedStream {
  readonly chosen: Chosen;
  readonly lastEventId: string | undefined;
  /** A new stream begins with the stored events of so many milliseconds. */
  readonly replayMs?: number | undefined;
  /** Default: server-sent events. */
  readonly format?: StreamFormat | undefined;
}

export function createEventStreams(needs: EventStreamNeeds, limits: StreamLimits): EventStreams {
  const { events, openSessions, shares } = needs;
  const slots = limits.streams ?? MAX_STREAMS;
  const enter = openCallPlaces(
    shares,
    { name: "event_streams", refusal: tooMany },
    { slots, perToken: limits.streamsPerToken, perAddress: limits.streamsPerAddress },
  );
  const ids = createEventIds(needs.eventKey, needs.randomBytes(RUN_BYTES));
  const board = createTelemetryBoard(needs.feed, needs.budgets.open("live_telemetry", LIVE_TELEMETRY_BYTES));
  const wakes = createWakeQueue();
  /** A page of a backlog takes about a millisecond, so one is read in a turn of the event loop. */
  const pages = createWakeQueue(1);
  const streams = new Set<EventStream>();
  /** As long as the event is kept. */
  const texts = new WeakMap<LiveEvent, Buffer>();
  /** Of listeners who may not see all of it. */
  const shortTexts = new WeakMap<LiveEvent, Buffer>();

  function render(event: LiveEvent, level: AccessLevel): Buffer {
    const shown = shownTo(event, level);
    const known = shown === event ? texts : shortTexts;
    const text = known.get(event) ?? renderEvent(shown, ids.render(event));
    known.set(event, text);
    return text;
  }

  const asServerSentEvents = serverSentEvents(render);

  const recent = createRecentPositions({ at: needs.now(), position: events.lastPosition });
  let newest = events.lastPosition;
  events.listen(({ position }) => {
    recent.note({ at: needs.now(), position: newest });
    newest = position;
    for (const { wake } of streams) wake();
  });

  function beginning(replayMs: number): Wanted["after"] {
    if (replayMs === 0) return undefined;
    return { position: recent.since(instant(needs.now() - replayMs)), sequence: undefined, isBeginning: true };
  }

  return {
    open(call, { chosen, lastEventId = "", replayMs = 0, format = asServerSentEvents }) {
      const leave = enter(call);
      const after = lastEventId === "" ? beginning(replayMs) : (ids.parse(lastEventId) ?? "unknown");
      const turn = () => new Promise<void>((wake) => pages.wake({ key: call.caller.tokenId, wake }));
      const backlog = (filter: EventFilter, from: number | undefined) =>
        readBacklog({ ...needs, ids }, { filter, from, isBeginning: isBeginning(after) }, turn);
      const filter = parseChoice(call.caller, chosen);
      const stream = openEventStream({ events, board, wakes, openSessions, backlog }, call, { filter, after, format });
      streams.add(stream);
      const stopKeeping = events.keepForStream();
      stream.readable.once("close", () => {
        streams.delete(stream);
        stopKeeping();
        leave();
      });
      return stream.readable;
    },
  };
}

/** The measured value of a control has a level of its own. */
function shownTo(event: LiveEvent, level: AccessLevel): LiveEvent {
  if (!("measuredLevel" in event)) return event;
  const { control, measuredLevel } = event;
  if (measuredLevel !== undefined && allows(level, measuredLevel)) return event;
  return { ...event, control: { ...control, measured: null, measured_at: null } };
}

function tooMany(whose: string): AppError {
  const code = whose === "all" ? "overloaded" : "too_many_streams";
  const which = whose === "all" ? "in all" : `of this ${whose}`;
  const message = `too many event streams ${which} are open; close one, or try again in ${RETRY_AFTER_S} s`;
  return new AppError([{ code, message }], RETRY_AFTER_S);
}
