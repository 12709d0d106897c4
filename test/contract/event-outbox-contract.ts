// What an outbox promises: an event for each change, in the order of the commits, for as long as they are kept.
import { expect, onTestFinished, test } from "vitest";
import type { AccessLevel } from "#core/access/level.ts";
import type { BusbarEvent, PreparedEvent } from "#core/event/event.ts";
import type { EventFilter } from "#core/event/event-filter.ts";
import { instant } from "#core/time/instant.ts";
import type { EventOutbox, EventPage, StoredEvent } from "#service/ports/event-outbox.ts";
import { NOON } from "../support/records.ts";

const EVERYTHING: EventFilter = {
  ...{ scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined },
};

/** `alert s1/d1 owner` in short. */
export function prepared(text: string, data: object = {}): PreparedEvent {
  const [kind = "", place = "", readLevel = "readonly"] = text.split(" ");
  const [siteId = "", deviceId = ""] = place.split("/");
  const facts = {
    kind: kind as PreparedEvent["kind"],
    siteId,
    deviceId,
    readLevel: readLevel as AccessLevel,
    at: NOON,
  };
  return { ...facts, data: JSON.stringify(data) };
}

/** All events after the position, page by page. */
export async function everyEvent(outbox: EventOutbox, position: number, filter = EVERYTHING, now = NOON) {
  const found: StoredEvent[] = [];
  for (let next = position; ; ) {
    const page: EventPage = (await outbox.after(next, filter, now)) ?? fail("some are no longer kept");
    found.push(...page.events);
    if (page.next === next) return found;
    next = page.next;
  }
}

const text = ({ kind, siteId, deviceId, readLevel }: BusbarEvent) => `${kind} ${siteId}/${deviceId} ${readLevel}`;

function fail(message: string): never {
  throw new Error(message);
}

/** `open` gives an outbox that holds nothing that these tests would see. */
export function eventOutboxContract(open: () => Promise<EventOutbox>): void {
  /** An outbox with one event, and the position of that. */
  async function begun() {
    const outbox = await open();
    await outbox.append([prepared("connectivity s0/d0")]);
    return { outbox, start: await outbox.latest() };
  }

  test("events are found after a position, in the order in which they were stored, and watchers hear the same", async () => {
    const { outbox, start } = await begun();
    const heard: StoredEvent[] = [];
    onTestFinished(outbox.watch((event) => heard.push(event), start));
    const given = Array.from({ length: 130 }, (_, n) => prepared("connectivity s1/d1", { n, text: "Größe\n" }));
    await outbox.append(given.slice(0, 3));
    await Promise.all(given.slice(3).map((event) => outbox.append([event])));
    const found = await everyEvent(outbox, start);
    expect(found.map(({ position: _, ...event }) => event)).toEqual(given);
    await expect.poll(() => heard.length).toBe(found.length);
    expect(heard).toEqual(found);
    const positions = found.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(new Set(positions).size).toBe(130);
    expect([positions.at(-1), (positions[0] ?? 0) > start]).toEqual([await outbox.latest(), true]);
    expect(await everyEvent(outbox, positions[127] ?? 0)).toEqual(found.slice(128));
    expect(await outbox.after(await outbox.latest(), EVERYTHING, NOON)).toEqual({
      events: [],
      next: await outbox.latest(),
    });
  });

  test("a watcher that has left hears nothing more", async () => {
    const { outbox, start } = await begun();
    const heard: StoredEvent[] = [];
    outbox.watch((event) => heard.push(event), start)();
    await outbox.append([prepared("connectivity s1/d1")]);
    expect(heard).toEqual([]);
  });

  const some = ["alert s1/d1 owner", "connectivity s1/d1", "configuration s1/d2 user", "connectivity s2/d3"];
  test.each<[string, Partial<EventFilter>, readonly number[]]>([
    ["everything", {}, [0, 1, 2, 3]],
    ["a site that the caller sees", { scope: new Set(["s2"]) }, [3]],
    ["no site", { scope: new Set() }, []],
    ["a level", { level: "user" }, [1, 2, 3]],
    ["the lowest level", { level: "readonly" }, [1, 3]],
    ["kinds", { kinds: new Set(["alert", "configuration", "log"]) }, [0, 2]],
    ["sites", { siteIds: new Set(["s1"]) }, [0, 1, 2]],
    ["devices", { deviceIds: new Set(["d1", "d3"]) }, [0, 1, 3]],
    ["all at once", { kinds: new Set(["connectivity"]), siteIds: new Set(["s1"]), level: "user" }, [1]],
  ])("a filter by %s", async (_, filter, expected) => {
    const { outbox, start } = await begun();
    await outbox.append(some.map((one) => prepared(one)));
    const found = await everyEvent(outbox, start, { ...EVERYTHING, ...filter });
    expect(found.map(text)).toEqual(expected.map((place) => text(prepared(some[place] ?? ""))));
  });

  test("a listener with few events gets past many of others", async () => {
    const { outbox, start } = await begun();
    await outbox.append(Array.from({ length: 1_200 }, () => prepared("connectivity s1/d1")));
    await outbox.append([prepared("connectivity s2/d2")]);
    expect(await everyEvent(outbox, start, { ...EVERYTHING, scope: new Set(["s2"]) })).toHaveLength(1);
  });

  test("a position that is dropped or of other records is not resumed; the newest always is", async () => {
    const { outbox, start } = await begun();
    await outbox.append([prepared("connectivity s1/d1"), prepared("connectivity s1/d2")]);
    const latest = await outbox.latest();
    expect(await outbox.prune(instant(0))).toBe(0);
    expect(await everyEvent(outbox, start)).toHaveLength(2);
    while ((await outbox.prune(instant(Date.now() + 60_000))) > 0);
    expect(await outbox.after(start, EVERYTHING, NOON)).toBeUndefined();
    expect(await outbox.after(latest + 1, EVERYTHING, NOON)).toBeUndefined();
    expect([await everyEvent(outbox, latest), await outbox.latest()]).toEqual([[], latest]);
    await outbox.append([prepared("connectivity s1/d3")]);
    expect(await everyEvent(outbox, latest)).toMatchObject([{ deviceId: "d3" }]);
  });

  test("events are stored together or not at all", async () => {
    const { outbox, start } = await begun();
    const broken = { ...prepared("connectivity s1/d2"), data: null as unknown as string };
    await expect(outbox.append([prepared("connectivity s1/d1"), broken])).rejects.toThrow();
    await outbox.append([prepared("connectivity s1/d3")]);
    expect(await everyEvent(outbox, start)).toMatchObject([{ deviceId: "d3" }]);
  });
}
