import { expect, test } from "vitest";
import { createEventIds } from "./event-id.ts";

const KEY = Buffer.alloc(16, 1);
const RUN = Buffer.alloc(3, 1);
const ids = createEventIds(KEY, RUN);
const PLACES = [0, 1, 255, 5_000, 2 ** 40, Number.MAX_SAFE_INTEGER].flatMap((position) =>
  [1, 2, 256, 2 ** 39].map((sequence) => ({ position, sequence })),
);

test("an id is found again; another run finds its position", () => {
  const later = createEventIds(KEY, Buffer.alloc(3, 2));
  for (const place of PLACES) {
    expect(ids.parse(ids.render(place))).toEqual(place);
    expect(later.parse(ids.render(place))).toEqual({ ...place, sequence: undefined });
  }
});

test("an event that was read from the outbox has a position only", () => {
  const place = { position: 77, sequence: undefined };
  expect(ids.parse(ids.render(place))).toEqual(place);
});

test("other records do not find an id", () => {
  const other = createEventIds(Buffer.alloc(16, 2), RUN);
  for (const place of PLACES) {
    const found = other.parse(ids.render(place));
    expect(found?.sequence).toBeUndefined();
    // Of the few texts that pass for an id, no position is one that records ever reach.
    expect(found === undefined || found.position > 2 ** 48).toBe(true);
  }
});

test("ids reveal neither a number nor an order", () => {
  const some = Array.from({ length: 100 }, (_, n) => ids.render({ position: n + 1, sequence: n + 1 }));
  expect(new Set(some).size).toBe(100);
  expect(new Set(some.map((id) => id.slice(0, 4))).size).toBeGreaterThan(95);
  expect([...some].sort()).not.toEqual(some);
});

test.each(["", "run:5", "5", "x".repeat(22), "x".repeat(23), "ä".repeat(22), "'; --"])("%j is no id", (text) => {
  expect(ids.parse(text)).toBeUndefined();
});
