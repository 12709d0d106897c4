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

/** Reads all there is; gives the numbers of the events, `@` and the position of those from the outbox, and other lines. */
function read(stream: Readable): string {
  const text = String(stream.read() ?? "");
  return text
    .split("\n\n")
    .filter(Boolean)
    .map((block) => {
      const place = ids.parse(/^id: (.*)/.exec(block)?.[1] ?? "");
      return place === undefined ? block.replaceAll("\n", " ") : (place.sequence ?? `@${place.position}`);
    })
    .join(" | ");
}

/** Reads until nothing comes for some turns of the event loop: a backlog is read over several. */
async function readAll(stream: Readable): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let quiet = 0; quiet < 20; quiet++) {
    const piece = read(stream);
    if (piece !== "") quiet = 0;
    seen.push(...piece.split(" | ").filter(Boolean));
    await nextTurn();
  }
  return seen;
}

const idOf = (position: number, sequence?: number) => ids.render({ position, sequence });
const numbers = (from: number, to: number, sign = "") =>
  Array.from({ length: to - from + 1 }, (_, n) => `${sign}${from + n}`);
const GAP = (...kinds: string[]) => `event: gap data: ${JSON.stringify({ kinds })}`;
const LIVE = GAP("control", "runtime", "log", "rule");
const EVERYTHING = GAP(
  "execution",
  "alert",
  "connectivity",
  "configuration",
  "device",
  "change",
  "bulk",
  "notification",
  "control",
  "runtime",
  "log",
  "rule",
);

test("a stream begins with the time to wait before it is opened again, then sends what happens", () => {
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
  const stream = world.open({ lastEventId: idOf(1, 1) });
  const seen: string[] = [];
  for (let piece = read(stream); piece !== ""; piece = read(stream)) seen.push(piece);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen.join(" | ").split(" | ").slice(1)).toEqual(numbers(2, 10_000));
});

test("what the hub has forgotten comes from the outbox, then the hub goes on, without a loss and in order", async () => {
  const world = openStreams({ maxKept: 10 });
  world.publish(300);
  const stream = world.open({ lastEventId: idOf(20, 20) });
  const during = readAll(stream);
  world.publish(30);
  const seen = [...(await during)];
  world.publish(5);
  seen.push(...(await readAll(stream)));
  expect(seen.slice(0, 2)).toEqual(["retry: 2000", LIVE]);
  expect(seen.slice(2).map((one) => one.replace("@", ""))).toEqual(numbers(21, 335));
  expect(seen.at(2)).toBe("@21");
  expect(seen.at(-1)).toBe("335");
});

test("after a restart a stream goes on after the position, and says that lines of logs may be missing", async () => {
  const { outbox } = openStreams();
  const world = openStreams({ outbox, position: 4 });
  const before = openStreams({ outbox }).ids;
  for (const kinds of [undefined, ["connectivity"]]) {
    const stream = world.open({
      lastEventId: before.render({ position: 4, sequence: undefined }),
      chosen: { "kind.in": kinds },
    });
    expect(read(stream)).toBe(kinds === undefined ? `retry: 2000 | ${LIVE}` : "retry: 2000");
  }
});

test("a new stream begins with the changes of the last seconds, from the hub or the outbox, and misses nothing", async () => {
  for (const maxKept of [100, 2]) {
    let now = 0;
    const world = openStreams({ maxKept, now: () => now });
    for (; now < 10_000; now += 1_000) world.publish(1);
    const seen = await readAll(world.open({ replayMs: 3_000 }));
    expect([maxKept, seen[0], ...seen.slice(1).map((one) => one.replace("@", ""))]).toEqual([
      maxKept,
      "retry: 2000",
      ...numbers(8, 10),
    ]);
    expect(await readAll(world.open({ lastEventId: idOf(9, 9), replayMs: 3_000 }))).toEqual(["retry: 2000", "10"]);
  }
});

test("lines of logs are resumed within a run, also between stored events", () => {
  const world = openStreams();
  const first = world.open();
  world.publish(1);
  world.publish(2, "a line");
  world.publish(1);
  world.publish(1, "a line");
  expect(read(first)).toBe("retry: 2000 | 1 | 2 | 3 | 4 | 5");
  expect(read(world.open({ lastEventId: idOf(1, 2) }))).toBe("retry: 2000 | 3 | 4 | 5");
});

test.each(["run:1", "AAAAAAAAAAAAAAAAAAAAAA", "dropped", "of other records"])(
  "after the id %s a stream says that there is a gap and sends the current state",
  async (id) => {
    const { open, publish, outbox } = openStreams({ maxKept: 5 });
    publish(10);
    outbox.keepOnly(5);
    const known = { dropped: idOf(4, 4), "of other records": idOf(11) };
    const stream = open({ lastEventId: known[id as keyof typeof known] ?? id });
    const [, gap, state, ...rest] = await readAll(stream);
    expect(gap).toBe(EVERYTHING);
    expect(state).toMatch(/^event: connectivity data: .*"1970-01-01T00:00:00.000Z"/);
    publish(1);
    expect([rest, read(stream)]).toEqual([[], "11"]);
  },
);

test("what changes while the current state is sent comes after it", async () => {
  const world = openStreams({ maxKept: 3 });
  world.publish(10);
  world.outbox.keepOnly(2);
  const stream = world.open({ lastEventId: idOf(1, 1) });
  world.onState = () => world.publish(6);
  const seen = await readAll(stream);
  expect(seen.slice(3).map((one) => one.replace("@", ""))).toEqual(numbers(11, 16));
});

test("a listener that falls behind what is kept gets a notice and is dropped; one that reads is not, and both can resume", async () => {
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
  const seen = Number(rest.at(-2));
  expect((await readAll(open({ lastEventId: idOf(seen, seen) }))).slice(2)).toHaveLength(3_000 - seen);
  expect(read(open({ lastEventId: idOf(2_999, 2_999) }))).toBe("retry: 2000 | 3000");
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

test("a thousand streams of one token are served over many turns, and another token's stream in the first of them", async () => {
  const { open, publish } = openStreams({ limits: { streams: 2_000 } });
  let served = 0;
  for (let n = 0; n < 1_000; n++) {
    const stream = open({ token: "greedy" });
    stream.on("data", (text) => (served += String(text).startsWith("id: ") ? 1 : 0));
  }
  let isOtherServed = false;
  open({ token: "other" }).on("data", (text) => (isOtherServed ||= String(text).startsWith("id: ")));
  await nextTurn();
  publish(1);
  expect(served).toBeLessThan(100);
  await nextTurn();
  await nextTurn();
  expect([isOtherServed, served < 200]).toEqual([true, true]);
  for (let turns = 0; turns < 100 && served < 1_000; turns++) await nextTurn();
  expect(served).toBe(1_000);
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
