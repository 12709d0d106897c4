// Event streams over a hub and a feed, without a server.
import type { Readable } from "node:stream";
import type { AccessLevel } from "#core/access/level.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import type { Chosen } from "#http/event/event-choice-wire.ts";
import { createEventIds } from "#http/event/event-id.ts";
import { createEventStreams, type StreamLimits } from "#http/event/event-streams.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { callBy } from "./calls.ts";

const KEY = Buffer.alloc(16, 7);
const EVERYTHING: Chosen = { "kind.in": undefined, "site_id.in": undefined, "device_id.in": undefined };

export interface Opening {
  readonly lastEventId?: string | undefined;
  readonly chosen?: Partial<Chosen>;
  readonly token?: string;
  readonly address?: string;
  readonly level?: AccessLevel;
}

export function openStreams({ maxKept = 100, isLive = true, limits = {} as Partial<StreamLimits> } = {}) {
  const [events, feed, budgets, shares] = [
    createEventHub({ maxKept }),
    createTelemetryFeed(),
    createByteBudgets(),
    createShares(),
  ];
  const stopping = new AbortController();
  const ends = new Set<() => void>();
  const authenticator = {
    onEnd: (_tokenId: string, callback: () => void) => {
      ends.add(callback);
      return () => ends.delete(callback);
    },
    isLive: async () => isLive,
  };
  const streams = createEventStreams(
    { events, feed, authenticator, budgets, shares, randomBytes: () => KEY },
    { streamsPerToken: 2_000, streamsPerAddress: 2_000, ...limits },
  );
  return {
    events,
    feed,
    stopping,
    shares,
    ids: createEventIds(KEY),
    /** How many streams watch for the end of their token. */
    watching: () => ends.size,
    endToken: () => ends.forEach((end) => void end()),
    publish(count: number, message?: string) {
      for (let n = 0; n < count; n++) {
        const place = { siteId: "s", deviceId: "d" };
        if (message === undefined) events.publish(place, { kind: "connectivity", status: "ONLINE", at: instant(n) });
        else {
          const entry = {
            receivedAt: 0 as never,
            takenAt: instant(0),
            severity: "info",
            message,
            persist: false,
          } as const;
          events.publish(place, { kind: "log", entry });
        }
      }
    },
    open({ lastEventId, chosen, token = "token", address = "127.0.0.1", level = "readonly" }: Opening = {}): Readable {
      const call = callBy(level);
      return streams.open(
        { caller: { ...call.caller, tokenId: token }, remoteAddress: address, signal: stopping.signal },
        { chosen: { ...EVERYTHING, ...chosen }, lastEventId },
      );
    },
  };
}

/** The wake queue goes on in the next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
