import { expect, test } from "vitest";
import type { PreparedEvent } from "#core/event/event.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { createEventHub, type EventHub } from "./event-hub.ts";

/** A hub that keeps events, because a stream is open. */
function openHub(options?: Parameters<typeof createEventHub>[0]): EventHub {
  const hub = createEventHub(options);
  hub.keepForStream();
  return hub;
}

function log(message: string): PreparedEvent {
  const facts = { kind: "log", siteId: "s", deviceId: "d", readLevel: "readonly", at: instant(0) } as const;
  return { ...facts, data: JSON.stringify({ message }) };
}

function publish(hub: EventHub, count: number): void {
  for (let n = 0; n < count; n++) hub.publish(log("small"));
}

function sequences(hub: EventHub, after: number): readonly number[] | undefined {
  if (!hub.remembers(after)) return undefined;
  const found: number[] = [];
  for (let next = hub.at(after + 1); next !== undefined; next = hub.at(next.sequence + 1)) found.push(next.sequence);
  return found;
}

test("events are numbered from one and sent to every listener until it leaves", () => {
  const hub = openHub();
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
  const hub = openHub({ maxKept: 5 });
  publish(hub, count);
  expect(sequences(hub, after)).toEqual(expected);
  expect(hub.remembers(after)).toBe(expected !== undefined);
});

/** `500 +` are events in the order in which they come: stored at a position, or only sent. The hub begins at 100. */
test.each([
  ["", 5, { 99: undefined, 100: 0, 101: undefined }],
  ["+ +", 5, { 99: undefined, 100: 0, 101: undefined }],
  ["110 130", 5, { 99: undefined, 100: 0, 105: 0, 110: 1, 129: 1, 130: 2, 131: undefined }],
  ["110 + + 130 +", 5, { 100: 0, 110: 1, 120: 3, 130: 4 }],
  ["+ 110", 5, { 100: 0, 110: 2 }],
  ["110 130 150", 2, { 100: undefined, 109: undefined, 110: 1, 130: 2, 150: 3 }],
  ["110 + +", 2, { 109: undefined, 110: 1 }],
  ["110 + + + 130", 2, { 110: 3, 130: 5 }],
])("after the events [%s], %s of them kept, the hub goes on after positions as in %j", (text, maxKept, expected) => {
  const hub = openHub({ position: 100, maxKept });
  for (const one of text.split(" ").filter(Boolean)) {
    if (one === "+") publish(hub, 1);
    else hub.take({ ...log("stored"), position: Number(one) });
  }
  const found = Object.keys(expected).map((position) => [position, hub.sequenceAt(Number(position))]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test("few large events are kept where many small ones would be, and what is forgotten is given back", () => {
  const budget = createByteBudget("event_buffer", 1_000_000);
  const hub = openHub({ maxKept: 100, budget });
  for (let n = 0; n < 50; n++) hub.publish(log("x".repeat(40_000)));
  expect(budget.used()).toBeLessThanOrEqual(1_000_000);
  expect([hub.remembers(45), hub.remembers(40)]).toEqual([true, false]);
  publish(hub, 200);
  expect(budget.used()).toBeLessThan(150_000);
  expect(sequences(hub, 150)).toHaveLength(100);
});

test("an event that is larger than the budget is sent, but not kept, and the next ones are", () => {
  const hub = openHub({ budget: createByteBudget("event_buffer", 10_000) });
  const heard: number[] = [];
  hub.listen(({ sequence }) => heard.push(sequence));
  publish(hub, 1);
  hub.publish(log("x".repeat(10_000)));
  publish(hub, 1);
  expect(heard).toEqual([1, 2, 3]);
  expect([0, 1, 2].map((after) => sequences(hub, after))).toEqual([undefined, undefined, [3]]);
});

test("events are kept while a stream is open and for as many events after it, and none without one", () => {
  const budget = createByteBudget("event_buffer", 1_000_000);
  const hub = createEventHub({ maxKept: 5, budget });
  publish(hub, 3);
  expect([budget.used(), sequences(hub, 2), sequences(hub, 3)]).toEqual([0, undefined, []]);
  const close = [hub.keepForStream(), hub.keepForStream()];
  publish(hub, 2);
  close[0]?.();
  publish(hub, 2);
  expect(sequences(hub, 3)).toEqual([4, 5, 6, 7]);
  close[1]?.();
  publish(hub, 5);
  expect(sequences(hub, 7)).toEqual([8, 9, 10, 11, 12]);
  publish(hub, 1);
  expect([budget.used(), sequences(hub, 12), sequences(hub, 13)]).toEqual([0, undefined, []]);
  hub.keepForStream();
  publish(hub, 1);
  expect(sequences(hub, 13)).toEqual([14]);
});

test("without a stream the hub still gives positions", () => {
  const hub = createEventHub({ position: 100 });
  hub.take({ ...log("stored"), position: 110 });
  hub.keepForStream();
  hub.take({ ...log("stored"), position: 120 });
  expect([100, 110, 115, 120].map(hub.sequenceAt)).toEqual([undefined, 1, 1, 2]);
});
