import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextTurn, openStreams } from "../../../test/support/event-streams.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const { ids } = openStreams();

/** Reads all there is; gives the numbers of the events and the other lines. */
function read(stream: Readable): string {
  const text = String(stream.read() ?? "");
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => ids.parse(/^id: (.*)/.exec(block)?.[1] ?? "") ?? block.replaceAll("\n", " "))
    .join(" | ");
}

test("a stream begins with the time to wait before it is opened again, then tells what happens", () => {
  const { open, publish } = openStreams();
  publish(2);
  const stream = open();
  expect(read(stream)).toBe("retry: 2000");
  publish(2);
  expect(read(stream)).toBe("3 | 4");
});

test("a long gap is resumed in pieces, without a loss and without being cut off", () => {
  const world = openStreams({ maxKept: 10_000 });
  world.publish(10_000);
  const stream = world.open({ lastEventId: ids.render(1) });
  const seen: string[] = [];
  for (let piece = read(stream); piece !== ""; piece = read(stream)) seen.push(piece);
  expect(seen.length).toBeGreaterThan(3);
  const numbers = seen.join(" | ").split(" | ").slice(1).map(Number);
  expect(numbers).toEqual(Array.from({ length: 9_999 }, (_, n) => n + 2));
});

test.each(["run:1", "AAAAAAAAAAAAAAAAAAAAAA", "forgotten"])(
  "after the id %s a stream says that there is a gap",
  (id) => {
    const { open, publish } = openStreams({ maxKept: 5 });
    publish(10);
    const stream = open({ lastEventId: id === "forgotten" ? ids.render(2) : id });
    expect(read(stream)).toBe("retry: 2000 | event: gap data: {}");
    publish(1);
    expect(read(stream)).toBe("11");
  },
);

test("a listener that falls behind what is kept is told so and dropped; one that reads is not, and both can resume", async () => {
  const { open, publish, watching } = openStreams({ maxKept: 2_000 });
  const [slow, quick] = [open(), open()];
  const closed = once(slow, "close");
  read(slow);
  let last = "";
  for (let n = 0; n < 30; n++) {
    publish(100);
    await nextTurn();
    last = read(quick).split(" | ").at(-1) ?? "";
  }
  expect(last).toBe("3000");
  const rest: string[] = [];
  for (let piece = read(slow); piece !== ""; piece = read(slow)) rest.push(...piece.split(" | "));
  expect(rest.at(-1)).toMatch(/^event: dropped data: /);
  await closed;
  expect([quick.destroyed, watching()]).toEqual([false, 1]);
  const told = Number(rest.at(-2));
  expect(read(open({ lastEventId: ids.render(told) }))).toContain("event: gap");
  expect(read(open({ lastEventId: ids.render(2_999) }))).toBe("retry: 2000 | 3000");
});

test("one text of an event serves all streams", () => {
  const { open, publish } = openStreams();
  const streams = [
    open({ token: "a" }),
    open({ token: "b", level: "system" }),
    open({ chosen: { "kind.in": ["log"] } }),
  ];
  for (const stream of streams) read(stream);
  publish(1, "x".repeat(10_000));
  const [first, ...others] = streams.map((stream) => stream.read() as Buffer);
  expect(first?.toString()).toContain("x".repeat(10_000));
  for (const other of others) expect(other.buffer).toBe(first?.buffer);
});

test("a thousand streams of one token are told over many turns, and another token's stream in the first of them", async () => {
  const { open, publish } = openStreams({ limits: { streams: 2_000 } });
  let told = 0;
  for (let n = 0; n < 1_000; n++) {
    const stream = open({ token: "greedy" });
    stream.on("data", (text) => (told += String(text).startsWith("id: ") ? 1 : 0));
  }
  let isOtherTold = false;
  open({ token: "other" }).on("data", (text) => (isOtherTold ||= String(text).startsWith("id: ")));
  await nextTurn();
  publish(1);
  expect(told).toBeLessThan(100);
  await nextTurn();
  await nextTurn();
  expect([isOtherTold, told < 200]).toEqual([true, true]);
  for (let turns = 0; turns < 100 && told < 1_000; turns++) await nextTurn();
  expect(told).toBe(1_000);
});

test.each([
  ["a token", { streamsPerToken: 3 }, { token: "b" }, "too_many_streams"],
  ["an address", { streamsPerAddress: 3 }, { address: "10.0.0.2" }, "too_many_streams"],
  ["all", { streams: 3 }, undefined, "overloaded"],
])("streams of %s are bounded, and a stream that ended makes room", async (_, limits, other, code) => {
  const { open } = openStreams({ limits });
  const streams = [open(), open(), open()];
  expect(() => open()).toThrow(expect.objectContaining({ code, retryAfter: 10 }));
  if (other !== undefined) open(other);
  const closed = once(streams[0] as Readable, "close");
  streams[0]?.destroy();
  await closed;
  open();
  expect(() => open()).toThrow("too many event streams");
});

test("a comment keeps the connection open while nothing happens", async () => {
  const { open } = openStreams();
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
    const world = openStreams({ isLive: why !== "its token has expired" });
    const stream = world.open();
    read(stream);
    const ended = once(stream, "end");
    if (why === "its token is revoked") world.endToken();
    else if (why === "the service stops") world.stopping.abort();
    else await vi.advanceTimersByTimeAsync(15_000);
    world.publish(1);
    expect(read(stream)).toBe("");
    await ended;
    expect([stream.destroyed, world.watching()]).toEqual([true, 0]);
  },
);

test("a stream that is opened when its client has left already ends at once", async () => {
  const world = openStreams();
  world.stopping.abort();
  const stream = world.open();
  const ended = once(stream, "close");
  expect(read(stream)).toBe("retry: 2000");
  stream.resume();
  await ended;
  expect(world.watching()).toBe(0);
});
