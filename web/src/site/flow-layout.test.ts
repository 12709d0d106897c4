import { expect, test } from "vitest";
import type { FlowKind } from "./energy-flow.ts";
import { flowLayout, HEIGHT, RADIUS } from "./flow-layout.ts";

const ALL: readonly FlowKind[] = [
  "solar",
  "wind",
  "generator",
  "grid",
  "battery",
  "rest",
  "load",
  "hydrogen",
  "vehicle",
];

test.each([300, 328, 640, 900])("at %d px every node is inside the picture and covers no other", (width) => {
  const places = [
    ...flowLayout(width < 400 ? ALL.filter((kind) => kind !== "wind" && kind !== "load") : ALL, width).values(),
  ];
  for (const [index, place] of places.entries()) {
    expect(place.x - RADIUS).toBeGreaterThanOrEqual(0);
    expect(place.x + RADIUS).toBeLessThanOrEqual(width);
    expect(place.y + RADIUS).toBeLessThanOrEqual(HEIGHT);
    for (const other of places.slice(index + 1)) {
      expect(Math.hypot(place.x - other.x, place.y - other.y)).toBeGreaterThan(2 * RADIUS);
    }
  }
});
