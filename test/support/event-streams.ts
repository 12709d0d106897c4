// Event streams over a hub and a feed, without a server.
import type { Readable } from "node:stream";
import type { AccessLevel } from "#core/access/level.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import type { Chosen } from "#service/event/event-choice-wire.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import { createEventIds } from "#service/event/event-id.ts";
import { createEventStreams, type StreamLimits } from "#service/event/event-streams.ts";
import { renderHappening } from "#service/event/event-wire.ts";
import { createPrepareEvent, logEvent, type PublishedEvent } from "#service/event/happening.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { callBy } from "./calls.ts";
import { createMemoryOutbox, type MemoryOutbox } from "./memory-outbox.ts";

const KEY = Buffer.alloc(16, 7);
const RUN = Buffer.alloc(3, 8);
const PLACE = { siteId: "s", deviceId: "d" };
const prepare = createPrepareEvent(renderHappening);

function connectivityOf(at: number): PreparedEvent {
  return prepare({ ...PLACE, kind: "connectivity", status: "ONLINE", at: instant(at) });
}

function logOf(message: string): PublishedEvent {
  const entry = { receivedAt: 0 as never, takenAt: instant(0), severity: "info", message, persist: false } as const;
  return logEvent(PLACE, entry);
}

const EVERYTHING: Chosen = { "kind.in": undefined, "site_id.in": undefined, "device_id.in": undefined };

export interface Opening {
  readonly lastEventId?: string | undefined;
  readonly replayMs?: number;
  readonly chosen?: Partial<Chosen>;
  readonly token?: string;
  readonly address?: string;
  readonly level?: AccessLevel;
}

interface StreamWorld {
  readonly maxKept?: number;
  readonly isLive?: boolean;
  readonly limits?: Partial<StreamLimits>;
  readonly outbox?: MemoryOutbox;
  /** The newest event of the outbox. */
  readonly position?: number;
  readonly now?: () => number;
}

export function openStreams(world: StreamWorld = {}) {
  const {
    maxKept = 100,
    isLive = true,
    limits = {},
    outbox = createMemoryOutbox(),
    position = 0,
    now = () => 0,
  } = world;
  const events = createEventHub({ maxKept, position });
  // What is resumed here was heard by a stream before.
  events.keepForStream();
  const [feed, budgets, shares] = [createTelemetryFeed(), createByteBudgets(), createShares()];
  outbox.watch(events.take, position);
  const stopping = new AbortController();
  const ends = new Set<() => void>();
  const openSessions = {
    onEnd: (_caller: unknown, callback: () => void) => {
      ends.add(callback);
      return () => ends.delete(callback);
    },
    isLive: async () => isLive,
  };
  const streams = createEventStreams(
    {
      ...{ events, outbox, feed, openSessions, budgets, shares, eventKey: KEY, now: () => instant(now()) },
      randomBytes: () => RUN,
      async *currentState() {
        yield connectivityOf(0);
        opened.onState();
      },
    },
    { streamsPerToken: 2_000, streamsPerAddress: 2_000, ...limits },
  );
  const opened = {
    /** Called when the current state is sent. */
    onState: () => {},
    events,
    feed,
    stopping,
    shares,
    outbox,
    ids: createEventIds(KEY, RUN),
    /** How many streams watch for the end of their token. */
    watching: () => ends.size,
    endToken: () => ends.forEach((end) => void end()),
    /** Stored events or, with a message, lines of a log. */
    publish(count: number, message?: string) {
      for (let n = 0; n < count; n++) {
        if (message === undefined) outbox.add(connectivityOf(n));
        else events.publish(logOf(message));
      }
    },
    open(opening: Opening = {}): Readable {
      const { lastEventId, replayMs, chosen, token = "token", address = "127.0.0.1", level = "readonly" } = opening;
      const call = callBy(level);
      return streams.open(
        { caller: { ...call.caller, tokenId: token }, remoteAddress: address, signal: () => stopping.signal },
        { chosen: { ...EVERYTHING, ...chosen }, lastEventId, replayMs },
      );
    },
  };
  return opened;
}

/** The wake queue goes on in the next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
