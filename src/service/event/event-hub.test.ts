import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createEventHub, type EventHub } from "./event-hub.ts";

function publish(hub: EventHub, count: number): void {
  for (let n = 0; n < count; n++) {
    hub.publish({ siteId: "s", deviceId: "d" }, { kind: "connectivity", status: "ONLINE", at: instant(n) });
  }
}
const sequences = (hub: EventHub, after: number) => hub.after(after)?.map(({ sequence }) => sequence);

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
  const hub = createEventHub(5);
  publish(hub, count);
  expect(sequences(hub, after)).toEqual(expected);
  expect(hub.remembers(after)).toBe(expected !== undefined);
});
