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

const ATTRIBUTE = { id: "power", type: "float", enum: undefined, accessLevel: "readonly" } as const;

function openWorld(kinds?: readonly string[]) {
  const [events, feed] = [createEventHub(), createTelemetryFeed()];
  const authenticator = { onEnd: () => () => {}, isLive: async () => true };
  const stream = openEventStream(
    { events, feed, authenticator, runId: "run" },
    { ...callBy("readonly"), signal: new AbortController().signal },
    { chosen: { "kind.in": kinds, "site_id.in": undefined, "device_id.in": undefined }, lastEventId: undefined },
  );
  /** What the stream gives now, without its first line. */
  const read = () =>
    String(stream.read() ?? "")
      .replace("retry: 2000\n\n", "")
      .split("\n\n")
      .filter(Boolean);
  const send = (device: string, value: number, at = 1_000) =>
    feed.publish({ siteId: "s", deviceId: device, at: instant(at), values: new Map([[ATTRIBUTE, value]]) });
  const log = (message: string) =>
    events.publish(
      { siteId: "s", deviceId: "d" },
      {
        kind: "log",
        entry: { receivedAt: 0 as never, takenAt: instant(0), severity: "info", message, persist: false },
      },
    );
  read();
  return { stream, feed, events, read, send, log };
}

const POWER = (device: string, value: number) =>
  `event: telemetry\ndata: {"site_id":"s","device_id":"${device}","telemetry":{"power":{"value":${value},"timestamp":1}}}`;

test("values gather for a quarter of a second, then the newest is told, without an id to resume from", () => {
  const { read, send } = openWorld();
  for (let value = 1; value <= 100; value++) send("d", value);
  vi.advanceTimersByTime(249);
  expect(read()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(read()).toEqual([POWER("d", 100)]);
  vi.advanceTimersByTime(1_000);
  expect(read()).toEqual([]);
});

test("other events do not wait for telemetry", () => {
  const { read, send, log } = openWorld();
  send("d", 1);
  log("now");
  expect(read()).toEqual([expect.stringContaining("event: log")]);
  vi.advanceTimersByTime(250);
  expect(read()).toEqual([POWER("d", 1)]);
});

test("a listener that does not read holds the newest values only, and gets them when it reads", () => {
  const { stream, read, send } = openWorld();
  for (let round = 1; round <= 2_000; round++) {
    for (const device of ["d", "e", "f"]) send(device, round);
    vi.advanceTimersByTime(250);
  }
  expect(stream.readableLength).toBeLessThan(65 * 1024);
  const events: string[] = [];
  for (let some = read(); some.length > 0; some = read()) events.push(...some);
  expect(events.length).toBeLessThan(1_000);
  expect(events.slice(-3).sort()).toEqual([POWER("d", 2_000), POWER("e", 2_000), POWER("f", 2_000)]);
});

test("nobody watches unless a stream chose telemetry, and no longer than it lasts", async () => {
  const uninterested = openWorld(["log"]);
  expect(uninterested.feed.isWatched).toBe(false);
  const { stream, feed, send } = openWorld(["telemetry"]);
  expect(feed.isWatched).toBe(true);
  send("d", 1);
  const closed = new Promise((resolve) => stream.once("close", resolve));
  stream.destroy();
  await closed;
  expect(feed.isWatched).toBe(false);
  uninterested.stream.destroy();
});
