import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { nextTurn, openStreams } from "../../../test/support/event-streams.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const ATTRIBUTE = { id: "power", type: "float", enum: undefined, accessLevel: "readonly" } as const;

function openWorld(kinds?: readonly string[]) {
  const { feed, publish, open } = openStreams();
  const stream = open({ chosen: { "kind.in": kinds } });
  /** What the stream gives now, without its first line. */
  const read = () =>
    String(stream.read() ?? "")
      .replace("retry: 2000\n\n", "")
      .split("\n\n")
      .filter(Boolean);
  const send = (device: string, value: number, at = 1_000) =>
    feed.publish({ siteId: "s", deviceId: device, at: instant(at), values: new Map([[ATTRIBUTE, value]]) });
  const log = (message: string) => publish(1, message);
  read();
  return { stream, feed, read, send, log, open };
}

const POWER = (device: string, value: number) =>
  `event: telemetry\ndata: {"site_id":"s","device_id":"${device}","telemetry":{"power":{"value":${value},"timestamp":1}}}`;

test("values gather for a quarter of a second, then the newest is sent, without an id to resume from", () => {
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

test("a listener that does not read holds the newest values only, and gets them when it reads", async () => {
  const { stream, read, send } = openWorld();
  for (let round = 1; round <= 2_000; round++) {
    for (const device of ["d", "e", "f"]) send(device, round);
    vi.advanceTimersByTime(250);
    await nextTurn();
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
