import { expect, test } from "vitest";
import { newPlant } from "#demo/plant/plant.ts";
import {
  alertBits,
  measured,
  type Reading,
  raisedAlerts,
  reading,
  textReadings,
  writeReadings,
} from "./register-map.ts";

const PLANT = newPlant({ seed: 1, latitude: 40, longitude: 0 }, 0);

test.each<readonly [Reading["type"], number, number, readonly number[], number]>([
  ["u16", 10, 230.14, [2301], 230.1],
  ["s16", 10, -3.56, [0xffdc], -3.6],
  ["u16", 1, 70_000, [0xffff], 65_535],
  ["u16", 1, -5, [0], 0],
  ["u32", 1, 70_000, [1, 4464], 70_000],
  ["u32", 1, 4_000_000_000, [0xee6b, 0x2800], 4_000_000_000],
  ["s32", 1, -1, [0xffff, 0xffff], -1],
  ["s16", 1, -0.2, [0], 0],
  ["f32", 10, 51.26, [0x424d, 0x0a3d], 51.3],
])("%s with %d counts a unit holds %d as %j, which is read as %d", (type, per, value, registers, read) => {
  const one = reading(7, [type, per], () => value);
  const table = new Map<number, number>();
  writeReadings(table, [one], PLANT);
  expect([...table]).toEqual(registers.map((register, at) => [7 + at, register]));
  expect(measured(one)(PLANT)).toBe(read);
});

test("text fills its registers with zeros", () => {
  const table = new Map<number, number>();
  writeReadings(table, textReadings(0, 3, "ABC"), PLANT);
  expect([...table.values()]).toEqual([0x4142, 0x4300, 0]);
});

test("alerts are bits in a register and a list in telemetry", () => {
  const flags = [
    { alert: "a", isRaised: () => true },
    { alert: "b", isRaised: () => false },
    { alert: "c", isRaised: () => true },
  ];
  expect(measured(alertBits(0, flags))(PLANT)).toBe(0b101);
  expect(raisedAlerts(flags)(PLANT)).toBe('["a","c"]');
});
