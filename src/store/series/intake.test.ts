import { afterEach, expect, test, vi } from "vitest";
import { refuse } from "#core/app-error.ts";
import { instant } from "#core/time/instant.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { readBatch } from "./batch.ts";
import { createIntake, GATHER_MS } from "./intake.ts";
import { SeriesIndex } from "./series-index.ts";

afterEach(() => void vi.useRealTimers());

const message = (at: number, values: Readonly<Record<string, number | string>>, deviceId = "a"): TelemetryPoints => ({
  deviceId,
  at: instant(at),
  values: new Map(Object.entries(values)),
});

/** A batch in words: `+power/1` defines, `1=5@7` is a value of series 1 at 7. */
function inWords(batch: Uint8Array): string {
  const words: string[] = [];
  let time = 0;
  readBatch(batch, {
    define: ({ attribute, series }) => words.push(`+${attribute}/${series}`),
    message: (_, at) => {
      time = at;
    },
    value: (series, value) => words.push(`${series}=${value}@${time}`),
    forget: (device) => words.push(`-${device}`),
  });
  return words.join(" ");
}

function createBench() {
  const commits: { words: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  const durable: number[] = [];
  const intake = createIntake({
    index: new SeriesIndex([]),
    commit: (batch) =>
      new Promise((resolve, reject) => {
        commits.push({ words: inWords(batch), resolve, reject });
      }),
    onDurable: (latest) => durable.push(...[...latest.values()].map((one) => one.at)),
  });
  const nextCommit = async (count: number) => {
    while (commits.length < count) await new Promise((resolve) => setImmediate(resolve));
    return commits[count - 1] ?? { words: "", resolve() {}, reject() {} };
  };
  return { intake, commits, durable, nextCommit };
}

test("what comes during a commit travels together with the next", async () => {
  const { intake, commits, durable, nextCommit } = createBench();
  const first = intake.append([message(1, { power: 5 })]);
  const commit = await nextCommit(1);
  const others = [intake.append([message(2, { power: 6 })]), intake.append([message(3, { note: "x" })])];
  commit.resolve();
  await first;
  expect(durable).toEqual([1]);
  (await nextCommit(2)).resolve();
  await Promise.all(others);
  expect(commits.map(({ words }) => words)).toEqual(["+power/1 1=5@1", "+power/1 1=6@2 +note/2 2=x@3"]);
  expect(durable).toEqual([1, 2, 3]);
});

test("a commit that fails takes its definitions with it: the next brings them again, and only until they are stored", async () => {
  const { intake, commits, durable, nextCommit } = createBench();
  const first = intake.append([message(1, { power: 5 })]);
  const commit = await nextCommit(1);
  const second = intake.append([message(2, { power: 6 })]);
  commit.reject(refuse("storage_full", "full"));
  await expect(first).rejects.toMatchObject({ code: "storage_full" });
  (await nextCommit(2)).resolve();
  await second;
  const third = intake.append([message(3, { power: 7 })]);
  (await nextCommit(3)).resolve();
  await third;
  expect(commits.map(({ words }) => words)).toEqual(["+power/1 1=5@1", "+power/1 1=6@2", "1=7@3"]);
  expect(durable).toEqual([2, 3]);
});

test("of several values of an attribute the newest is reported, and of equal times the last", async () => {
  const { intake, durable, nextCommit } = createBench();
  const all = [3, 7, 5].map((at) => intake.append([message(at, { power: at })]));
  (await nextCommit(1)).resolve();
  await Promise.all(all);
  expect(durable).toEqual([7]);
});

test("a message that cannot be written spoils no other", async () => {
  const { intake, commits, durable, nextCommit } = createBench();
  const before = intake.append([message(1, { power: 1 })]);
  const unwritable = message(2, { power: 2, ["x".repeat(70_000)]: 3 });
  expect(() => intake.append([unwritable])).toThrow();
  const after = intake.append([message(3, { power: 3 })]);
  (await nextCommit(1)).resolve();
  await Promise.all([before, after]);
  expect(commits.map(({ words }) => words)).toEqual(["+power/1 1=1@1 1=3@3"]);
  expect(durable).toEqual([3]);
});

test("beyond 64 MiB that wait the next message is refused, and taken again when there is room", async () => {
  const { intake, nextCommit } = createBench();
  const held = intake.append([message(1, { power: 1 })]);
  const commit = await nextCommit(1);
  const text = "x".repeat(1024 * 1024);
  const waiting = Array.from({ length: 64 }, (_, i) => intake.append([message(i, { note: text })]));
  await expect(intake.append([message(99, { power: 2 })])).rejects.toMatchObject({ code: "overloaded" });
  commit.resolve();
  (await nextCommit(2)).resolve();
  await Promise.all([held, ...waiting]);
  const last = intake.append([message(100, { power: 3 })]);
  (await nextCommit(3)).resolve();
  await last;
});

test("messages without values take no commit", async () => {
  const { intake, commits } = createBench();
  await intake.append([message(1, {})]);
  await intake.append([]);
  expect(commits).toEqual([]);
});

test("a task that runs alone waits for the commit under way, and what comes meanwhile waits for it", async () => {
  const { intake, commits, nextCommit } = createBench();
  const first = intake.append([message(1, { power: 1 })]);
  const commit = await nextCommit(1);
  const task = Promise.withResolvers<string>();
  const order: string[] = [];
  const alone = intake.alone(() => {
    order.push(`task after ${commits.length}`);
    return task.promise;
  });
  const second = intake.append([message(2, { power: 2 })]);
  commit.resolve();
  await first;
  while (order.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect([order, commits.length]).toEqual([["task after 1"], 1]);
  task.resolve("done");
  expect(await alone).toBe("done");
  (await nextCommit(2)).resolve();
  await second;
  await expect(intake.alone(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await intake.idle();
});

/** An intake whose first commit, of device a, is done, and that waits for more messages. */
async function createGathering() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const bench = createBench();
  const first = bench.intake.append([message(1, { power: 1 })]);
  (await bench.nextCommit(1)).resolve();
  await first;
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    return bench.commits.length;
  };
  return { ...bench, settled };
}

test("messages of other devices wait some milliseconds after a commit and share the next", async () => {
  const { intake, commits, nextCommit, settled } = await createGathering();
  const others = [intake.append([message(2, { power: 2 }, "b")])];
  expect(await settled()).toBe(1);
  others.push(intake.append([message(3, { power: 3 }, "c")]));
  vi.advanceTimersByTime(GATHER_MS - 1);
  expect(await settled()).toBe(1);
  vi.advanceTimersByTime(1);
  (await nextCommit(2)).resolve();
  await Promise.all(others);
  expect(commits[1]?.words).toBe("+power/2 2=2@2 +power/3 3=3@3");
  vi.advanceTimersByTime(GATHER_MS);
  const last = intake.append([message(4, { power: 4 }, "d")]);
  (await nextCommit(3)).resolve();
  await last;
});

test.each<[string, (intake: ReturnType<typeof createIntake>) => Promise<unknown>]>([
  ["a device that was in the last commit", (intake) => intake.append([message(3, { power: 3 })])],
  ["a call that waits for all before it", (intake) => intake.append([])],
  ["a task that runs alone", (intake) => intake.alone(async () => {})],
  ["a batch that is large enough", (intake) => intake.append([message(3, { note: "x".repeat(70_000) }, "c")])],
])("%s ends the wait for more messages", async (_, hurry) => {
  const { intake, nextCommit, settled } = await createGathering();
  const other = intake.append([message(2, { power: 2 }, "b")]);
  expect(await settled()).toBe(1);
  const hurried = hurry(intake);
  (await nextCommit(2)).resolve();
  await Promise.all([other, hurried]);
});
