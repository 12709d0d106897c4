import { expect, test } from "vitest";
import { createSeriesLimit } from "./series-limit.ts";

/** How many of these names are taken from a gateway whose device has as many attributes, and why the others are not. */
async function taken(
  names: readonly string[],
  { most = 100, own = 0, all = own }: { most?: number; own?: number; all?: number } = {},
) {
  const limit = createSeriesLimit(
    {
      latest: () => new Map(),
      attributes: async () => new Map([["d", Array.from({ length: own }, (_, n) => `old ${n}`)]]),
      knownSeries: () => all,
    },
    { devices: new Map([["d", "s"]]), most },
  );
  const refused = await limit.refused("d", names);
  return [names.length - refused.size, limit.reason()];
}
const some = (count: number, length = 1) => Array.from({ length: count }, (_, n) => `${n} `.padEnd(length, "x"));

test("a gateway has as many series as its limit, and a long name counts as several", async () => {
  const reason = "a gateway may have 100 series here (link.max_series)";
  expect(await taken(some(100))).toEqual([100, ""]);
  expect(await taken(some(101))).toEqual([100, reason]);
  expect(await taken(some(5), { own: 97 })).toEqual([3, reason]);
  expect(await taken(some(20, 1_000))).toEqual([10, reason]);
});

test("all gateways of a node together have half a million series, and one that has few may have some more", async () => {
  const reason = (limit: number) => `this node has ${limit} series, and takes no further ones (link.max_series)`;
  expect(await taken(some(20), { own: 50, all: 499_995 })).toEqual([5, reason(500_000)]);
  expect(await taken(some(20), { all: 500_000 })).toEqual([10, reason(500_000)]);
  expect(await taken(some(3), { all: 1_000_000 })).toEqual([0, reason(1_000_000)]);
});

test("a node has ten times as many series as one gateway may have, if that is more", async () => {
  expect(await taken(some(20), { most: 100_000, own: 20_000, all: 999_990 })).toEqual([10, expect.any(String)]);
});
