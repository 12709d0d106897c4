// All event streams together: how many there may be, one text of each event for all of them, and whose turn it is to be told.
import type { Readable } from "node:stream";
import { AppError, type ErrorCode } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Chosen } from "#http/event/event-choice-wire.ts";
import { createEventIds, EVENT_KEY_BYTES } from "#http/event/event-id.ts";
import { type EventStream, type Listening, openEventStream } from "#http/event/event-stream.ts";
import { renderEvent } from "#http/event/event-wire.ts";
import { createTelemetryBoard, LIVE_TELEMETRY_BYTES } from "#http/event/telemetry-board.ts";
import { createWakeQueue } from "#http/event/wake-queue.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import type { EventHub, LiveEvent } from "#service/event/event-hub.ts";
import type { TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";

const MAX_STREAMS = 2_048;
const RETRY_AFTER_S = 10;

export interface EventStreamNeeds {
  readonly events: EventHub;
  readonly feed: TelemetryFeed;
  readonly authenticator: Pick<Authenticator, "onEnd" | "isLive">;
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
  open(call: Listening, wanted: { readonly chosen: Chosen; readonly lastEventId: string | undefined }): Readable;
}

export function createEventStreams(needs: EventStreamNeeds, limits: StreamLimits): EventStreams {
  const { events, authenticator, shares } = needs;
  const slots = limits.streams ?? MAX_STREAMS;
  const nobodyWaits = { slots, waiting: 0, waitingPerKey: 0 };
  const byToken = shares.open("event_streams", { ...nobodyWaits, slotsPerKey: limits.streamsPerToken });
  const byAddress = shares.open("event_streams_of_address", { ...nobodyWaits, slotsPerKey: limits.streamsPerAddress });
  const ids = createEventIds(needs.randomBytes(EVENT_KEY_BYTES));
  const board = createTelemetryBoard(needs.feed, needs.budgets.open("live_telemetry", LIVE_TELEMETRY_BYTES));
  const wakes = createWakeQueue();
  const streams = new Set<EventStream>();
  /** As long as the event is kept. */
  const texts = new WeakMap<LiveEvent, Buffer>();

  function render(event: LiveEvent): Buffer {
    const known = texts.get(event);
    if (known !== undefined) return known;
    const text = renderEvent(event, ids.render(event.sequence));
    texts.set(event, text);
    return text;
  }

  /** Takes the places of one stream; gives the function that frees them. */
  function enter({ caller, remoteAddress }: Listening): () => void {
    const leaveToken = byToken.tryEnter(caller.tokenId);
    if (leaveToken === undefined) {
      throw byToken.inside >= slots ? tooMany("overloaded", "in all") : tooMany("too_many_streams", "of this token");
    }
    const leaveAddress = byAddress.tryEnter(addressBlock(remoteAddress));
    if (leaveAddress === undefined) {
      leaveToken();
      throw tooMany("too_many_streams", "of this address");
    }
    return () => {
      leaveToken();
      leaveAddress();
    };
  }

  events.listen(() => {
    for (const { wake } of streams) wake();
  });

  return {
    open(call, { chosen, lastEventId = "" }) {
      const leave = enter(call);
      const after = lastEventId === "" ? undefined : (ids.parse(lastEventId) ?? "gap");
      const stream = openEventStream({ events, board, wakes, authenticator, render }, call, { chosen, after });
      streams.add(stream);
      stream.readable.once("close", () => {
        streams.delete(stream);
        leave();
      });
      return stream.readable;
    },
  };
}

function tooMany(code: ErrorCode, whose: string): AppError {
  const message = `too many event streams ${whose} are open; close one, or try again in ${RETRY_AFTER_S} s`;
  return new AppError([{ code, message }], RETRY_AFTER_S);
}
