import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { callBy } from "../../../test/support/calls.ts";
import { openEventStream } from "./event-stream.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EVERYTHING = { "kind.in": undefined, "site_id.in": undefined, "device_id.in": undefined };

function openWorld({ kept = 100, isLive = true, lastEventId = undefined as string | undefined } = {}) {
  const events = createEventHub(kept);
  const stopping = new AbortController();
  let endOfToken = () => {};
  const watching = { count: 0 };
  const authenticator = {
    onEnd: (_tokenId: string, callback: () => void) => {
      endOfToken = callback;
      watching.count++;
      return () => void watching.count--;
    },
    isLive: async () => isLive,
  };
  const publish = (count: number) => {
    for (let n = 0; n < count; n++) {
      events.publish({ siteId: "s", deviceId: "d" }, { kind: "connectivity", status: "ONLINE", at: instant(n) });
    }
  };
  const open = () =>
    openEventStream(
      { events, feed: createTelemetryFeed(), authenticator, runId: "run" },
      { ...callBy("readonly"), signal: stopping.signal },
      { chosen: EVERYTHING, lastEventId },
    );
  return { events, publish, open, stopping, watching, endToken: () => endOfToken() };
}

/** Reads all there is; gives the ids of the events and the other lines. */
function read(stream: Readable): string {
  const text = String(stream.read() ?? "");
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => /^id: run:(\d+)/.exec(block)?.[1] ?? block.replaceAll("\n", " "))
    .join(" | ");
}

test("a stream begins with the time to wait before it is opened again, then tells what happens", () => {
  const { open, publish } = openWorld();
  publish(2);
  const stream = open();
  expect(read(stream)).toBe("retry: 2000");
  publish(2);
  expect(read(stream)).toBe("3 | 4");
});

test("a long gap is resumed in pieces, without a loss and without being cut off", () => {
  const world = openWorld({ kept: 20_000, lastEventId: "run:1" });
  world.publish(20_000);
  const stream = world.open();
  const seen: string[] = [];
  for (let piece = read(stream); piece !== ""; piece = read(stream)) seen.push(piece);
  expect(seen.length).toBeGreaterThan(3);
  const ids = seen.join(" | ").split(" | ").slice(1).map(Number);
  expect(ids).toEqual(Array.from({ length: 19_999 }, (_, n) => n + 2));
});

test("a listener that falls behind what is kept is cut off; one that reads is not", async () => {
  const { open, publish, watching } = openWorld({ kept: 2_000 });
  const [slow, quick] = [open(), open()];
  const closed = once(slow, "close");
  read(slow);
  for (let n = 0; n < 30; n++) {
    publish(100);
    read(quick);
  }
  await closed;
  expect([slow.destroyed, quick.destroyed, watching.count]).toEqual([true, false, 1]);
});

test("a comment keeps the connection open while nothing happens", async () => {
  const { open } = openWorld();
  const stream = open();
  read(stream);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(read(stream)).toBe("");
  await vi.advanceTimersByTimeAsync(1);
  expect(read(stream)).toBe(": still here");
  await vi.advanceTimersByTimeAsync(15_000);
  expect(read(stream)).toBe(": still here");
});

test.each(["its token is revoked", "its token has expired", "the service stops"])(
  "a stream ends when %s",
  async (why) => {
    const world = openWorld({ isLive: why !== "its token has expired" });
    const stream = world.open();
    read(stream);
    const ended = once(stream, "end");
    if (why === "its token is revoked") world.endToken();
    else if (why === "the service stops") world.stopping.abort();
    else await vi.advanceTimersByTimeAsync(15_000);
    world.publish(1);
    expect(read(stream)).toBe("");
    await ended;
    expect([stream.destroyed, world.watching.count]).toEqual([true, 0]);
  },
);
