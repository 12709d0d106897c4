import { expect, test } from "vitest";
import { energyBars } from "./energy-bars.ts";

test("both bars have one scale, and what is not known is no zero", () => {
  const known = energyBars({ produced: 4_000, used: 8_000, self_used: 3_000, to_grid: 1_000, from_grid: 5_000 });
  expect(known.map(({ name, kWh, parts }) => [name, kWh, parts.map(({ name: what, share }) => [what, share])])).toEqual(
    [
      [
        "produced",
        4,
        [
          ["selfUsed", 0.375],
          ["toGrid", 0.125],
        ],
      ],
      [
        "used",
        8,
        [
          ["selfUsed", 0.375],
          ["fromGrid", 0.625],
        ],
      ],
    ],
  );
  const unknown = energyBars({ produced: null, used: null, self_used: null, to_grid: null, from_grid: null });
  expect(unknown.map(({ kWh, parts }) => [kWh, parts])).toEqual([
    [undefined, []],
    [undefined, []],
  ]);
});
