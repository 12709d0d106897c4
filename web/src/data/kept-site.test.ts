import { expect, test } from "vitest";
import type { Device, Site } from "#client/resources.ts";
import { createKeptSite, type KeptSite } from "./kept-site.ts";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const DAY = 86_400_000;

function memory(content?: string) {
  const items = new Map(content === undefined ? [] : [["busbar.site", content]]);
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    size: () => items.size,
  };
}

const kept = (more: Partial<KeptSite> = {}): KeptSite => ({
  session: { id: "s1", level: "owner", expires_at: "2026-11-17T12:00:00Z" },
  at: NOW - 60_000,
  site: { id: "north", name: "North" } as Site,
  devices: [
    { resource: { id: "d", name: "Meter" } as Device, values: { power: { value: 7, timestamp: NOW / 1000 - 61 } } },
  ],
  ...more,
});

test("the next visit finds the site as it was, by the same build and for the same site only", () => {
  const store = memory();
  createKeptSite(store, "one").put(kept());
  expect(createKeptSite(store, "one").find("north", NOW)).toMatchObject(kept());
  expect(createKeptSite(store, "two").find("north", NOW)).toBeUndefined();
  expect(createKeptSite(store, "one").find("south", NOW)).toBeUndefined();
});

test.each([
  ["the session has ended", { session: { id: "s1", level: "owner", expires_at: "2026-11-16T11:59:00Z" } }],
  ["it was long ago", { at: NOW - 8 * DAY }],
  ["the clock was set back", { at: NOW + 8 * DAY }],
])("it is not found when %s", (_, more) => {
  const site = createKeptSite(memory(), "one");
  site.put(kept(more));
  expect(site.find("north", NOW)).toBeUndefined();
});

test("another session and a sign-out leave nothing behind", () => {
  const store = memory();
  const site = createKeptSite(store, "one");
  site.put(kept());
  site.keepFor("s1");
  expect(store.size()).toBe(1);
  site.keepFor("s2");
  expect(store.size()).toBe(0);
  site.put(kept());
  site.forget();
  expect(store.size()).toBe(0);
});

test("a large site is not kept, and what cannot be read or written does no harm", () => {
  const store = memory();
  const site = createKeptSite(store, "one");
  site.put(kept());
  site.put(kept({ site: { id: "north", name: "x".repeat(600_000) } as Site }));
  expect(store.size()).toBe(0);
  for (const content of ["{", "7", "null", "[]", '{"build":"two"}']) {
    const strange = createKeptSite(memory(content), "one");
    expect(strange.find("north", NOW)).toBeUndefined();
    strange.keepFor("s1");
  }
  const full = {
    ...memory(),
    setItem: () => {
      throw new Error("full");
    },
  };
  createKeptSite(full, "one").put(kept());
  createKeptSite(undefined, "one").put(kept());
});
