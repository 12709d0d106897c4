import { expect, test } from "vitest";
import type { DroppedHistory } from "#core/link/gateway-figures.ts";
import type { LinkedHour } from "#core/link/spooled-hours.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";
import { createTelemetryLane } from "./telemetry-lane.ts";

const HOUR = 3_600_000;

/** A gateway that has joined, with these hours of its device `d` to upload. */
async function open({
  hours = [] as readonly number[],
  historyBefore = undefined as number | undefined,
  onWrite = (_what: string) => {},
} = {}) {
  const nothing = async () => {};
  /** Takes a moment, as a disk does. */
  const writes = (what: string) => async () => {
    await new Promise(setImmediate);
    onWrite(what);
  };
  const marked = hours.map((hour) => ({ deviceId: "d", hour, hasExpired: false }));
  let dropped: DroppedHistory | undefined;
  const uplinks = {
    get: async () => ({ historyBefore: historyBefore === undefined ? undefined : instant(historyBefore), dropped }),
    hours: async () => marked,
    noteDropped: async (now: DroppedHistory, expired: readonly LinkedHour[]) => {
      dropped = now;
      for (const one of marked) one.hasExpired ||= expired.some(({ hour }) => hour === one.hour);
    },
    markHours: writes("mark"),
    unmarkHours: nothing,
    noteHistory: nothing,
  } as unknown as Needs["uplinks"];
  const left = [3, 2, 0, 1, 0];
  const telemetry = { append: writes("points"), drop: async () => left.shift() ?? 0 } as unknown as TelemetryStore;
  const lane = createTelemetryLane({ uplinks, telemetry, now: () => instant(0), budgets: createByteBudgets() });
  await lane.restart();
  return lane;
}

const drop = async (lane: Awaited<ReturnType<typeof open>>, before: number) => {
  while ((await lane.telemetry.drop("d", { except: [] }, instant(before))) > 0);
};

test("hours that retention deletes before they are uploaded are counted once each", async () => {
  const lane = await open({ hours: [1, 2, 5] });
  await drop(lane, 3 * HOUR);
  expect(lane.dropped).toEqual({ expired: 2, unreadable: 0 });
  expect(lane.spool.waiting.hours).toBe(3);
});

test("a restart neither forgets what is lost nor counts it again", async () => {
  const lane = await open({ hours: [1, 2, 5] });
  await drop(lane, 3 * HOUR);
  await lane.restart();
  expect(lane.dropped).toEqual({ expired: 2, unreadable: 0 });
  await drop(lane, 6 * HOUR);
  expect(lane.dropped).toEqual({ expired: 3, unreadable: 0 });
});

test("of the history that is uploaded after joining, every piece that retention deletes is lost", async () => {
  const lane = await open({ historyBefore: 10 * HOUR });
  await drop(lane, 3 * HOUR);
  await lane.noteUnreadable();
  expect(lane.dropped).toEqual({ expired: 5, unreadable: 1 });
});

test("what retention deletes after it was uploaded is not lost", async () => {
  const lane = await open();
  await drop(lane, 3 * HOUR);
  expect(lane.dropped).toEqual({ expired: 0, unreadable: 0 });
});

test("the backlog says how much waits and how old it is", async () => {
  const lane = await open({ hours: [5] });
  const at = (ms: number) => ({
    deviceId: "d",
    at: instant(ms),
    values: new Map<string, number | string>([
      ["a", 1],
      ["b", "xyz"],
    ]),
  });
  await lane.telemetry.append([at(7 * HOUR), at(7 * HOUR + 1)]);
  expect(lane.spool.waiting).toMatchObject({ messages: 2, points: 4, hours: 1 });
  expect(lane.spool.oldest()).toBe(5 * HOUR);
  lane.spool.clear();
  expect([lane.spool.waiting.points, lane.spool.oldest()]).toEqual([0, undefined]);
});

test("points are stored after their hours are marked, and in the order in which they came", async () => {
  const written: string[] = [];
  const lane = await open({ onWrite: (what) => written.push(what) });
  const append = (at: number) =>
    lane.telemetry.append([{ deviceId: "d", at: instant(at), values: new Map([["a", at]]) }]);
  await Promise.all([append(7 * HOUR), append(7 * HOUR + 1)]);
  await append(7 * HOUR + 2);
  expect(written).toEqual(["mark", "points", "points", "points"]);
});

test("without the line the marks of hours stay few, and all history is uploaded instead", async () => {
  const lane = await open();
  for (let hour = 0; hour < 1_100; hour++) {
    const message = (n: number) => ({ deviceId: `d${n}`, at: instant(hour * HOUR), values: new Map([["a", hour]]) });
    await lane.telemetry.append(Array.from({ length: 200 }, (_, n) => message(n)));
  }
  expect(lane.spool.marked).toBeLessThan(110_000);
  expect(lane.history()).toBeDefined();
});
