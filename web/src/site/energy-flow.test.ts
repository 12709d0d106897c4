import { expect, test } from "vitest";
import { energyFlow, type Measured } from "./energy-flow.ts";

/** `solar=42600 battery=?` */
const flow = (text: string) =>
  energyFlow(
    text.split(" ").map((pair) => {
      const [kind, watts] = pair.split("=");
      return { kind, watts: watts === "?" ? undefined : Number(watts) } as Measured;
    }),
  );
const nodes = (text: string) =>
  flow(text)
    .nodes.map(({ kind, watts, role }) => `${kind} ${role} ${watts === undefined ? "?" : Math.round(watts)}`)
    .join(", ");

test.each([
  // Sun for everybody, and what is left goes to the grid.
  [
    "solar=42600 grid=-6100 battery=-11800 hydrogen=18200",
    "solar gives 42600, grid takes 6100, battery takes 11800, rest takes 6500, hydrogen takes 18200",
  ],
  // Night: the battery and the grid serve the building.
  [
    "solar=0 grid=500 battery=1100 vehicle=0",
    "solar rests 0, grid gives 500, battery gives 1100, rest takes 1600, vehicle rests 0",
  ],
  // Several devices of a kind add up.
  ["solar=1000 solar=2000 grid=-500", "solar gives 3000, grid takes 500, rest takes 2500"],
  // One unknown device makes its kind and the building unknown, not zero.
  ["solar=1000 solar=? grid=200", "solar unknown ?, grid gives 200, rest unknown ?"],
  // Without a meter at the grid nobody knows what the building takes.
  ["solar=1000 battery=-400", "solar gives 1000, battery takes 400"],
  // Noise of meters is no flow.
  ["solar=-4 grid=300", "solar rests 4, grid gives 300, rest takes 296"],
])("%s: %s", (given, expected) => {
  expect(nodes(given)).toBe(expected);
});

test("what flows along the edges is what is given and what is taken", () => {
  const { edges, nodes: all } = flow("solar=4000 grid=1000 battery=-3000 vehicle=500");
  for (const node of all.filter(({ role }) => role === "gives")) {
    const out = edges.filter(({ from }) => from === node.kind).reduce((sum, { watts }) => sum + watts, 0);
    expect(out).toBeCloseTo(node.watts ?? Number.NaN);
  }
  for (const node of all.filter(({ role }) => role === "takes")) {
    const taken = edges.filter(({ to }) => to === node.kind).reduce((sum, { watts }) => sum + watts, 0);
    expect(taken).toBeCloseTo(node.watts ?? Number.NaN);
  }
});

test("measurements that do not fit each other are reported", () => {
  expect(flow("solar=1000 grid=-3000").excess).toBe(2000);
  expect(flow("solar=3000 grid=-3010").excess).toBeUndefined();
});

test("a site without any power has nothing to draw", () => {
  expect(energyFlow([])).toEqual({ nodes: [], edges: [], excess: undefined });
});
