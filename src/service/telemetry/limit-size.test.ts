import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { type LimitNeeds, limitTelemetry } from "./limit-size.ts";

const DAY = 24 * 3_600_000;
const MB = 1e6;

/** A store with a day of 10 MB for each of these days, on a disk with so much room. What is deleted is free in its file. */
async function limit(
  days: readonly number[],
  { maxBytes = Number.POSITIVE_INFINITY, freeBytes = 1_000 * MB, now = 100, isJoined = true },
) {
  let left = [...days];
  let spare = 0;
  const said: string[] = [];
  const needs = {
    now: () => instant(now * DAY),
    uplinks: { get: async () => (isJoined ? {} : undefined) },
    disk: () => ({ freeBytes, totalBytes: 10_000 * MB }),
    log: { warn: (_: object, text: string) => void said.push(text) },
    devices: {
      list: async (_: object, { offset }: { offset: number }) =>
        offset === 0 ? { items: [{ id: "a" }, { id: "b" }], total: 2 } : { items: [], total: 2 },
    },
    telemetry: {
      space: async () => ({
        usedBytes: left.length * 10 * MB,
        spareBytes: spare,
        oldest: left[0] && instant(left[0] * DAY),
      }),
      drop: async (device: string, _: object, before: number) => {
        // All of it is of the first device.
        const gone = device === "a" ? left.filter((day) => (day + 1) * DAY <= before) : [];
        left = left.filter((day) => !gone.includes(day));
        spare += gone.length * 10 * MB;
        return gone.length;
      },
    },
  } as unknown as LimitNeeds;
  const pieces = await limitTelemetry(needs, maxBytes);
  return { left, pieces, said: said.length };
}

test("within its limits nothing is deleted", async () => {
  expect(await limit([1, 2, 3], { maxBytes: 30 * MB })).toEqual({ left: [1, 2, 3], pieces: 0, said: 0 });
});

test("beyond the size the oldest days go, as few as needed", async () => {
  expect(await limit([1, 2, 3, 9], { maxBytes: 25 * MB })).toEqual({ left: [3, 9], pieces: 2, said: 2 });
});

test("on a disk that fills up the oldest days make room in the file", async () => {
  expect(await limit([1, 2, 3, 4, 5], { freeBytes: 50 * MB })).toMatchObject({ left: [3, 4, 5] });
});

test("a gateway on its own keeps what it has on a disk that fills up, and still keeps to its size", async () => {
  expect(await limit([1, 2, 3], { freeBytes: 0, isJoined: false })).toEqual({ left: [1, 2, 3], pieces: 0, said: 0 });
  expect(await limit([1, 2, 3], { maxBytes: 25 * MB, isJoined: false })).toMatchObject({ left: [2, 3] });
});

test("what is new is never deleted, however full the disk is", async () => {
  expect(await limit([98, 99], { freeBytes: 0, now: 100 })).toMatchObject({ left: [99] });
  expect(await limit([99], { freeBytes: 0, now: 99.5 })).toMatchObject({ left: [99], pieces: 0 });
});
