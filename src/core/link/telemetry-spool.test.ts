import { expect, test } from "vitest";
import type { LinkedHour, SentHours } from "./spooled-hours.ts";
import { createTelemetrySpool, type SentMessages } from "./telemetry-spool.ts";

const HOUR = 3_600_000;
const ONE = { bytes: 1, points: 1 };

interface Point {
  readonly deviceId: string;
  readonly at: number;
}

/** Small and seeded, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const nameOf = ({ deviceId, at }: Point) => `${deviceId} ${at}`;
const hourOf = ({ deviceId, hour }: LinkedHour) => `${deviceId} ${hour}`;

/** A gateway with a disk and a cloud: points are stored, sent, lost and confirmed in random order, with crashes. */
function runSchedule(seed: number): void {
  const random = randomFrom(seed);
  let spool = createTelemetrySpool<Point>(400);
  const disk = new Map<string, Point>();
  const marks = new Map<string, LinkedHour>();
  const cloud = new Set<string>();
  let storing: Point[] = [];
  let messages: SentMessages<Point>[] = [];
  let hours: { readonly sent: SentHours; readonly points: readonly string[] }[] = [];
  let now = 10 * HOUR;
  const steps: (() => void)[] = [
    () => {
      const point = { deviceId: "ab"[random(2)] ?? "a", at: now - random(3) * HOUR - random(1_000) };
      const hour = spool.begin(point.deviceId, point.at);
      if (hour !== undefined) marks.set(hourOf(hour), hour);
      storing.push(point);
    },
    () => {
      const [point] = storing.splice(0, 1);
      if (point === undefined) return;
      disk.set(nameOf(point), point);
      if (random(8) === 0) spool.leave(point.deviceId, point.at);
      else spool.add(point, { bytes: 100, points: 2 });
    },
    () => {
      const sent = spool.takeMessages(1 + random(300));
      if (sent !== undefined) messages.push(sent);
    },
    () => {
      const [sent] = messages.splice(0, 1);
      if (sent === undefined) return;
      const unknown = new Set(random(6) === 0 ? ["a"] : []);
      for (const { message } of sent) if (!unknown.has(message.deviceId)) cloud.add(nameOf(message));
      spool.messagesStored(sent, unknown, now);
    },
    () => {
      const sent = spool.takeHours(now);
      if (sent === undefined) return;
      const isIn = ({ deviceId, at }: Point) =>
        deviceId === sent.deviceId && sent.hours.some(({ hour }) => hour === Math.floor(at / HOUR));
      hours.push({ sent, points: [...disk.values()].filter(isIn).map(nameOf) });
    },
    () => {
      const [uploaded] = hours.splice(0, 1);
      if (uploaded === undefined) return;
      if (random(5) === 0) return spool.hoursLost(uploaded.sent, now);
      for (const point of uploaded.points) cloud.add(point);
      spool.hoursStored(uploaded.sent);
    },
    () => {
      for (const hour of spool.takeComplete(now - HOUR)) marks.delete(hourOf(hour));
    },
    () => {
      now += random(2) * HOUR;
    },
    () => {
      // The history reaches some hours, and takes along those that are marked.
      const deviceId = "ab"[random(2)] ?? "a";
      const from = (Math.floor(now / HOUR) - random(4)) * HOUR;
      const span = { from, to: from + 2 * HOUR };
      const isIn = (point: Point) => point.deviceId === deviceId && point.at >= span.from && point.at < span.to;
      const sent = spool.takeHoursOf(deviceId, span);
      hours.push({ sent, points: [...disk.values()].filter(isIn).map(nameOf) });
    },
    () => {
      if (random(4) > 0) return;
      // The line is cut: the newest is given back first.
      for (const sent of messages.reverse()) spool.messagesLost(sent);
      for (const { sent } of hours) spool.hoursLost(sent, now);
      [messages, hours] = [[], []];
    },
    () => {
      if (random(6) > 0) return;
      // The process ends: only the disk and the marks are left.
      [messages, hours, storing] = [[], [], []];
      spool = createTelemetrySpool<Point>(400);
      spool.addWhole(marks.values());
    },
  ];
  for (let step = 0; step < 300; step++) steps[random(steps.length)]?.();
  for (let round = 0; round < 100; round++) for (const step of steps.slice(1, 6)) step();
  for (let round = 0; round < 200; round++) for (const step of [steps[2], steps[3], steps[4], steps[5]]) step?.();
  const missing = [...disk.keys()].filter((name) => !cloud.has(name));
  expect({ seed, missing }).toEqual({ seed, missing: [] });
  expect(spool.waiting).toEqual({ messages: 0, points: 0, bytes: 0, hours: 0 });
}

test("whatever is lost, cut or ended, the cloud gets every stored point", () => {
  for (let seed = 1; seed <= 2_000; seed++) runSchedule(seed);
});

test("a full queue leaves its oldest messages to their hours, and the newest hour comes first", () => {
  const spool = createTelemetrySpool<Point>(250);
  for (const at of [0, HOUR, 2 * HOUR, 3 * HOUR]) {
    expect(spool.begin("a", at)).toMatchObject({ deviceId: "a", hour: at / HOUR });
    spool.add({ deviceId: "a", at }, { bytes: 100, points: 2 });
  }
  expect(spool.waiting).toEqual({ messages: 2, points: 4, bytes: 200, hours: 2 });
  const numbers = () => spool.takeHours(0)?.hours.map(({ hour }) => hour);
  expect([numbers(), numbers(), numbers()]).toEqual([[1], [0], undefined]);
});

test("an hour that gets points while it is uploaded is uploaded again", () => {
  const spool = createTelemetrySpool<Point>(0);
  spool.begin("a", 0);
  spool.add({ deviceId: "a", at: 0 }, ONE);
  const first = spool.takeHours(0);
  if (first === undefined) throw new Error("it was left to its hour");
  spool.begin("a", 1);
  spool.add({ deviceId: "a", at: 1 }, ONE);
  spool.hoursStored(first);
  expect(spool.takeHours(0)).toMatchObject({ hours: [{ hour: 0 }] });
});

test("the hours of a deleted device are forgotten", () => {
  const spool = createTelemetrySpool<Point>(1_000);
  for (const deviceId of ["a", "b"]) {
    spool.begin(deviceId, 0);
    spool.add({ deviceId, at: 0 }, ONE);
  }
  expect(spool.takeDevice("a")).toEqual([{ deviceId: "a", hour: 0 }]);
  expect(spool.marked).toBe(1);
});

test("messages of a deleted device that the queue cannot hold leave no hour behind", () => {
  const spool = createTelemetrySpool<Point>(1);
  spool.begin("a", 0);
  spool.add({ deviceId: "a", at: 0 }, ONE);
  spool.takeDevice("a");
  spool.begin("b", HOUR);
  spool.add({ deviceId: "b", at: HOUR }, ONE);
  expect(spool.waiting.hours).toBe(0);
  expect(spool.takeHours(0)).toBeUndefined();
});

test("hours of a day that is over are uploaded together, and settled together", () => {
  const spool = createTelemetrySpool<Point>(1_000);
  const hours = [3, 5, 23, 24, 47, 48].map((hour) => ({ deviceId: "a", hour }));
  spool.addWhole([...hours, { deviceId: "b", hour: 5 }]);
  const now = 49 * HOUR;
  const take = () => {
    const sent = spool.takeHours(now);
    return sent === undefined ? undefined : `${sent.deviceId} ${sent.hours.map(({ hour }) => hour)}`;
  };
  expect([take(), take()]).toEqual(["a 48", "a 47,24"]);
  const first = spool.takeHours(now);
  expect(first).toMatchObject({ deviceId: "a", hours: [{ hour: 23 }, { hour: 5 }, { hour: 3 }] });
  expect([take(), take()]).toEqual(["b 5", undefined]);
  // One of them gets points meanwhile.
  spool.addWhole([{ deviceId: "a", hour: 5 }]);
  if (first !== undefined) spool.hoursStored(first);
  expect([take(), take()]).toEqual(["a 5", undefined]);
});

test("what was sent counts until it is confirmed, or waits again", () => {
  const spool = createTelemetrySpool<Point>(1_000);
  const counts = () => [spool.waiting.messages, spool.unconfirmed];
  for (const at of [0, 1]) {
    spool.begin("a", at);
    spool.add({ deviceId: "a", at }, { bytes: 100, points: 2 });
  }
  const none = { messages: 0, points: 0, bytes: 0 };
  const sent = spool.takeMessages(1_000) ?? [];
  expect(counts()).toEqual([0, { messages: 2, points: 4, bytes: 200 }]);
  spool.messagesLost(sent);
  expect(counts()).toEqual([2, none]);
  spool.messagesStored(spool.takeMessages(1_000) ?? [], new Set(), 0);
  expect(counts()).toEqual([0, none]);
});

test("hours that the history has yet to reach are left to it, and settled with it", () => {
  const spool = createTelemetrySpool<Point>(1_000);
  const hours = [3, 5, 24, 30, 50].map((hour) => ({ deviceId: "a", hour }));
  spool.addWhole([...hours, { deviceId: "b", hour: 30 }]);
  const now = 51 * HOUR;
  const numbers = (sent: SentHours | undefined) => sent?.hours.map(({ hour }) => hour);
  expect(numbers(spool.takeHours(now, 48 * HOUR))).toEqual([50]);
  expect(spool.takeHours(now, 48 * HOUR)).toBeUndefined();
  const sent = spool.takeHoursOf("a", { from: 24 * HOUR, to: 48 * HOUR });
  expect(numbers(sent)).toEqual([30, 24]);
  // One of them gets points after the history was read.
  spool.addWhole([{ deviceId: "a", hour: 24 }]);
  spool.hoursStored(sent);
  expect(numbers(spool.takeHours(now, 24 * HOUR))).toEqual([30]);
  expect(numbers(spool.takeHours(now, 24 * HOUR))).toEqual([24]);
  expect(numbers(spool.takeHours(now))).toEqual([5, 3]);
});

test("what comes back about a deleted device changes nothing", () => {
  const spool = createTelemetrySpool<Point>(400);
  spool.addWhole([{ deviceId: "a", hour: 1 }]);
  const sent = spool.takeHours(10 * HOUR);
  if (sent === undefined) throw new Error("there is no hour");
  spool.takeDevice("a");
  spool.leave("a", HOUR);
  spool.add({ deviceId: "a", at: HOUR }, ONE);
  spool.hoursLost(sent, 0);
  spool.hoursStored(sent);
  expect([spool.takeHours(10 * HOUR), spool.oldest()]).toEqual([undefined, undefined]);
});

test("hours of a device are taken that lie within the bounds as a whole", () => {
  const spool = createTelemetrySpool<Point>(400);
  spool.addWhole([1, 2, 3].map((hour) => ({ deviceId: "a", hour })));
  const taken = (from: number, to: number) => spool.takeHoursOf("a", { from, to })?.hours.map(({ hour }) => hour);
  expect(taken(2 * HOUR, 3 * HOUR - 1)).toEqual([]);
  expect(taken(2 * HOUR, 3 * HOUR)).toEqual([2]);
  expect(taken(0, 4 * HOUR)).toEqual([3, 1]);
});

test("after a start over nothing is left, also of what was on its way", () => {
  const spool = createTelemetrySpool<Point>(400);
  for (const at of [HOUR, 2 * HOUR]) {
    spool.begin("a", at);
    spool.add({ deviceId: "a", at }, ONE);
  }
  expect(spool.takeMessages(1)).toHaveLength(1);
  expect(spool.oldest()).toBe(HOUR);
  spool.clear();
  expect(spool.oldest()).toBeUndefined();
  expect(spool.begin("a", HOUR)).toMatchObject({ deviceId: "a", hour: 1 });
});
