import { expect, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { createEventHub, type EventHub } from "./event-hub.ts";

function publish(hub: EventHub, count: number): void {
  for (let n = 0; n < count; n++) {
    hub.publish({ siteId: "s", deviceId: "d" }, { kind: "connectivity", status: "ONLINE", at: instant(n) });
  }
}

function sequences(hub: EventHub, after: number): readonly number[] | undefined {
  if (!hub.remembers(after)) return undefined;
  const found: number[] = [];
  for (let next = hub.at(after + 1); next !== undefined; next = hub.at(next.sequence + 1)) found.push(next.sequence);
  return found;
}

test("events are numbered from one and told to every listener until it leaves", () => {
  const hub = createEventHub();
  const heard: string[] = [];
  const leave = hub.listen(({ sequence }) => heard.push(`a${sequence}`));
  hub.listen(({ sequence }) => heard.push(`b${sequence}`));
  publish(hub, 1);
  leave();
  publish(hub, 1);
  expect([heard, hub.lastSequence]).toEqual([["a1", "b1", "b2"], 2]);
});

test.each([
  [0, 0, []],
  [3, 0, [1, 2, 3]],
  [3, 2, [3]],
  [3, 3, []],
  [3, 4, undefined],
  [5, 0, [1, 2, 3, 4, 5]],
  [6, 0, undefined],
  [6, 1, [2, 3, 4, 5, 6]],
  [1_000, 994, undefined],
  [1_000, 995, [996, 997, 998, 999, 1_000]],
])("of %s events, five kept, those after %s are %j", (count, after, expected) => {
  const hub = createEventHub({ maxKept: 5 });
  publish(hub, count);
  expect(sequences(hub, after)).toEqual(expected);
  expect(hub.remembers(after)).toBe(expected !== undefined);
});

const log = (message: string) =>
  ({
    kind: "log",
    entry: { receivedAt: 0 as never, takenAt: instant(0), severity: "info", message, persist: false },
  }) as const;

test("few large events are kept where many small ones would be, and what is forgotten is given back", () => {
  const budget = createByteBudget("event_buffer", 1_000_000);
  const hub = createEventHub({ maxKept: 100, budget });
  for (let n = 0; n < 50; n++) hub.publish({ siteId: "s", deviceId: "d" }, log("x".repeat(40_000)));
  expect(budget.used()).toBeLessThanOrEqual(1_000_000);
  expect([hub.remembers(45), hub.remembers(40)]).toEqual([true, false]);
  for (let n = 0; n < 200; n++) hub.publish({ siteId: "s", deviceId: "d" }, log("small"));
  expect(budget.used()).toBeLessThan(150_000);
  expect(sequences(hub, 150)).toHaveLength(100);
});

test("an event that is larger than the budget is told, but not kept, and the next ones are", () => {
  const hub = createEventHub({ budget: createByteBudget("event_buffer", 10_000) });
  const heard: number[] = [];
  hub.listen(({ sequence }) => heard.push(sequence));
  publish(hub, 1);
  hub.publish({ siteId: "s", deviceId: "d" }, log("x".repeat(10_000)));
  publish(hub, 1);
  expect(heard).toEqual([1, 2, 3]);
  expect([0, 1, 2].map((after) => sequences(hub, after))).toEqual([undefined, undefined, [3]]);
});
