// All sites share the room of the outbox, and a busy one costs the others nothing.
import { expect, onTestFinished, test } from "vitest";
import type { EventFilter } from "#core/event/event-filter.ts";
import { instant } from "#core/time/instant.ts";
import type { EventOutbox, StoredEvent } from "#service/ports/event-outbox.ts";
import { NOON } from "../support/records.ts";
import { everyEvent, prepared } from "./event-outbox-contract.ts";

const EVERYTHING: EventFilter = {
  ...{ scope: "all", level: "system", kinds: undefined, siteIds: undefined, deviceIds: undefined },
};
const asked = (...sites: readonly string[]): EventFilter => ({ ...EVERYTHING, siteIds: new Set(sites) });
const seen = (...sites: readonly string[]): EventFilter => ({ ...EVERYTHING, scope: new Set(sites) });

const LARGE = "x".repeat(1_000_000);
const large = (site: string) => prepared(`connectivity ${site}/d`, { text: LARGE });

/** `open` gives an outbox with a limit of some MiB that holds nothing that these tests would see. */
export function eventRoomContract(open: () => Promise<EventOutbox>): void {
  /** More large events of the site than there is room for. Returns how many. */
  async function flood(outbox: EventOutbox, site = "busy"): Promise<number> {
    const count = Math.ceil(outbox.size.limit / LARGE.length) + 5;
    for (let n = 0; n < count; n++) await outbox.append([large(site)]);
    return count;
  }

  async function begun() {
    const outbox = await open();
    await outbox.append([prepared("connectivity s0/d0")]);
    return { outbox, start: await outbox.latest() };
  }

  test("a site that floods loses its own oldest events, and no other site loses any", async () => {
    const { outbox, start } = await begun();
    await outbox.append([prepared("alert quiet/d", { n: 1 }), prepared("connectivity other/d", { n: 2 })]);
    const flooded = await flood(outbox);
    await outbox.append([prepared("alert quiet/d", { n: 3 })]);
    expect(await everyEvent(outbox, start, asked("quiet"))).toMatchObject([{ data: '{"n":1}' }, { data: '{"n":3}' }]);
    expect(await everyEvent(outbox, start, seen("quiet", "other"))).toHaveLength(3);
    for (const lost of [asked("busy"), seen("quiet", "busy"), EVERYTHING]) {
      expect(await outbox.after(start, lost, NOON)).toBeUndefined();
    }
    const kept = await everyEvent(outbox, await firstKept(outbox), asked("busy"));
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.length).toBeLessThan(flooded);
    await expect.poll(() => outbox.size.used()).toBeLessThan(outbox.size.limit + 3 * LARGE.length);
  });

  /** By halving: from some position on, the events of the flooding site are kept. */
  async function firstKept(outbox: EventOutbox): Promise<number> {
    let [low, high] = [0, await outbox.latest()];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await outbox.after(middle, asked("busy"), NOON)) === undefined) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  test("of two sites that flood, each keeps its part", async () => {
    const { outbox, start } = await begun();
    const count = Math.ceil(outbox.size.limit / LARGE.length);
    for (let n = 0; n < count; n++) await outbox.append([large(n % 4 === 0 ? "small" : "busy")]);
    expect(await everyEvent(outbox, start, asked("small"))).toHaveLength(Math.ceil(count / 4));
    for (let n = 0; n < count; n++) await outbox.append([large("small")]);
    expect(await outbox.after(start, asked("small"), NOON)).toBeUndefined();
    const busy = await everyEvent(outbox, await firstKept(outbox), asked("busy"));
    expect(busy.length).toBeGreaterThanOrEqual(Math.floor(count * 0.4));
  });

  test("a listener resumes after a cut where it was, and one that was away too long learns that", async () => {
    const { outbox, start } = await begun();
    await outbox.append([large("busy")]);
    const early = await outbox.latest();
    await flood(outbox);
    const late = await outbox.latest();
    await outbox.append([prepared("connectivity busy/d", { n: 1 })]);
    const newest = await outbox.latest();
    expect(await outbox.after(early, asked("busy"), NOON)).toBeUndefined();
    expect(await everyEvent(outbox, late, asked("busy"))).toMatchObject([{ data: '{"n":1}' }]);
    expect(await everyEvent(outbox, start, asked("quiet"))).toEqual([]);
    // What is too old is gone for all sites.
    while ((await outbox.prune(instant(Date.now() + 60_000))) > 0);
    expect(await outbox.after(start, asked("quiet"), NOON)).toBeUndefined();
    await outbox.append([prepared("connectivity quiet/d", { n: 2 })]);
    expect(await everyEvent(outbox, newest, asked("quiet"))).toMatchObject([{ data: '{"n":2}' }]);
  });

  test("a watcher hears everything of the others while a site floods", async () => {
    const { outbox, start } = await begun();
    const heard: StoredEvent[] = [];
    const stop = outbox.watch((event) => {
      if (event.siteId !== "busy") heard.push(event);
    }, start);
    onTestFinished(stop);
    const count = Math.ceil(outbox.size.limit / LARGE.length) + 5;
    for (let n = 0; n < count; n++) await outbox.append([large("busy"), prepared("alert quiet/d", { n })]);
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(count);
    expect(heard.map((event) => ("data" in event ? event.data : ""))).toEqual(
      Array.from({ length: count }, (_, n) => JSON.stringify({ n })),
    );
  });
}
