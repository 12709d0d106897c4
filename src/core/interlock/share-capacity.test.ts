import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { type Demand, shareCapacity } from "./share-capacity.ts";

const wants = (amount: number, changes: Partial<Demand> = {}): Demand => ({
  wants: amount,
  floor: 0,
  least: 0,
  lines: [0],
  ...changes,
});

test.each<[string, readonly number[], readonly Demand[], readonly number[], readonly number[]]>([
  ["enough for all", [20], [wants(8), wants(8)], [12, 12], [12, 12]],
  ["too little", [10], [wants(8), wants(8)], [8, 2], [5, 5]],
  ["nothing", [-3], [wants(8), wants(8)], [0, 0], [0, 0]],
  ["a floor", [10], [wants(8), wants(8, { floor: 6 })], [4, 6], [8 * (4 / 10), 6 + 2 * (4 / 10)]],
  ["too little for the second to be of use", [10], [wants(8), wants(8, { least: 6 })], [8 + 2, 0], [10, 0]],
  ["a tree", [10, 4], [wants(8, { lines: [0, 1] }), wants(8)], [4, 6], [4, 6]],
])("%s", (_, capacities, demands, inOrder, inProportion) => {
  const round = (values: readonly number[]) => values.map((value) => Number(value.toFixed(6)));
  expect(round(shareCapacity(capacities, demands, "order"))).toEqual(round(inOrder));
  expect(round(shareCapacity(capacities, demands, "proportional"))).toEqual(round(inProportion));
});

/** Gives the loads of a list what they want in tiny portions, the first one first or one after the other. */
function naive(capacities: readonly number[], demands: readonly Demand[], isOrder: boolean): readonly number[] {
  const portion = 1 / 64;
  const given = demands.map(() => 0);
  const fits = (n: number) =>
    demands[n]?.lines.every(
      (line) =>
        (capacities[line] ?? 0) >=
        demands.reduce(
          (sum, one, m) => sum + (one.lines.includes(line) ? (given[m] ?? 0) + (m === n ? portion : 0) : 0),
          0,
        ),
    );
  if (isOrder) {
    for (const [n, { wants: most }] of demands.entries())
      while ((given[n] ?? 0) < most && fits(n)) given[n] = (given[n] ?? 0) + portion;
    return given;
  }
  // The load with the smallest part of its wish is next.
  const isOpen = demands.map(({ wants: most }) => most > 0);
  while (isOpen.includes(true)) {
    let next = -1;
    for (const [n, { wants: most }] of demands.entries())
      if (isOpen[n] && (next < 0 || (given[n] ?? 0) / most < (given[next] ?? 0) / (demands[next]?.wants ?? 1)))
        next = n;
    if ((given[next] ?? 0) < (demands[next]?.wants ?? 0) && fits(next)) given[next] = (given[next] ?? 0) + portion;
    else isOpen[next] = false;
  }
  return given;
}

test("random trees: as portions would be handed out, and no line carries more than it can", () => {
  for (let seed = 1; seed <= 600; seed += 1) {
    const random = randomFrom(seed);
    const whole = (most: number) => Math.floor(random() * (most + 1));
    const capacities = Array.from({ length: 1 + whole(3) }, () => whole(20));
    const demands = Array.from({ length: 1 + whole(3) }, () =>
      wants(whole(16), { lines: capacities.map((_, line) => line).filter((line) => line === 0 || random() < 0.5) }),
    );
    for (const sharing of ["order", "proportional"] as const) {
      const mosts = shareCapacity(capacities, demands, sharing);
      const takes = demands.map((demand, n) => Math.min(demand.wants, mosts[n] ?? 0));
      for (const [line, capacity] of capacities.entries()) {
        const load = demands.reduce((sum, { lines }, n) => sum + (lines.includes(line) ? (takes[n] ?? 0) : 0), 0);
        expect(load, `seed ${seed}`).toBeLessThanOrEqual(capacity + 1e-6);
      }
      const right = naive(capacities, demands, sharing === "order");
      for (const [n, take] of takes.entries())
        expect(Math.abs(take - (right[n] ?? 0)), `seed ${seed} ${sharing}`).toBeLessThan(0.2);
    }
  }
});

test("numbers of very different sizes come to an end", () => {
  const demands = [wants(1e12), wants(1e-9), wants(3, { lines: [0, 1] })];
  for (const capacities of [
    [1, 1],
    [1e-300, 5],
    [1e12, 1e-12],
  ])
    expect(shareCapacity(capacities, demands, "proportional")).toHaveLength(3);
});
