import { expect, test } from "vitest";
import { areaSince, areaUntil, momentOf, SHAPES, shapeAt, sideOf, weatherOf } from "./day-shape.ts";

const HOUR = 3_600_000;

test.each(Object.entries(SHAPES))("the area below %s is what adding it up gives", (_name, shape) => {
  let sum = 0;
  const step = 1 / 240;
  for (let hour = 0; hour < 24; hour += step) {
    expect(Math.abs(areaUntil(shape, hour) - sum)).toBeLessThan(0.01);
    sum += shapeAt(shape, hour + step / 2) * step;
  }
});

test("both sides of a shape make the shape", () => {
  for (const shape of [SHAPES.grid, SHAPES.battery]) {
    for (let hour = 0; hour <= 24; hour += 0.25) {
      const [above, below] = [shapeAt(sideOf(shape, 1), hour), shapeAt(sideOf(shape, -1), hour)];
      expect(above - below).toBeCloseTo(shapeAt(shape, hour), 12);
      expect(Math.min(above, below)).toBe(0);
    }
  }
});

test("a battery ends a day as it began it", () => {
  expect(areaUntil(SHAPES.battery, 24)).toBeCloseTo(0, 12);
});

test("a counter over many days is the sum of its days, each with its own weather, and never falls", () => {
  const firstDay = 20_000;
  let sum = 0;
  let before = -1;
  for (let day = firstDay; day < firstDay + 400; day++) {
    const start = areaSince(SHAPES.sun, 5, { firstDay, now: momentOf(day * 24 * HOUR, 0) });
    expect(start).toBeCloseTo(sum, 6);
    for (let hour = 0; hour < 24; hour += 1.7) {
      const here = areaSince(SHAPES.sun, 5, { firstDay, now: momentOf((day * 24 + hour) * HOUR, 0) });
      // The last digit of a double may differ; attributes are rounded long before it.
      expect(here).toBeGreaterThanOrEqual(before - 1e-9);
      before = here;
    }
    sum += weatherOf(5, day) * areaUntil(SHAPES.sun, 24);
  }
});

test("a moment is taken apart by the clock of the place", () => {
  const noon = Date.UTC(2026, 5, 15, 12);
  expect(momentOf(noon, 0)).toMatchObject({ day: 20_619, hour: 12 });
  expect(momentOf(noon, 13 * HOUR)).toMatchObject({ day: 20_620, hour: 1 });
  expect(momentOf(-HOUR, 0)).toMatchObject({ day: -1, hour: 23 });
});
