import { expect, test } from "vitest";
import type { Drivers } from "#drivers/drivers.ts";
import { manualTimers } from "../../test/support/manual-timers.ts";
import { paceDrivers } from "./pace-drivers.ts";

function setUp() {
  const clock = manualTimers();
  let made = 0;
  const counted: Drivers = { call: async () => [++made], close() {} };
  return { clock, drivers: paceDrivers(counted, clock.timers), made: () => made };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a script that loops over calls makes them at a pace, after a first run", async () => {
  const { clock, drivers, made } = setUp();
  let isOver = false;
  const loop = (async () => {
    while (!isOver) await drivers.call("level.read", []);
  })();
  await expect.poll(() => clock.count()).toBe(1);
  expect(made()).toBe(500);
  for (let step = 0; step < 250; step++) {
    clock.pass(4);
    await settled();
  }
  expect(made()).toBe(750);
  isOver = true;
  clock.pass(4);
  await loop;
});

test("a script that calls now and then never waits", async () => {
  const { clock, drivers, made } = setUp();
  for (let second = 0; second < 20; second++) {
    await Promise.all(Array.from({ length: 200 }, () => drivers.call("modbus.read", [])));
    clock.pass(1000);
  }
  expect([made(), clock.count()]).toEqual([4000, 0]);
});

test("a batch counts as the queries that it has", async () => {
  const { clock, drivers } = setUp();
  await drivers.call("modbus.read_all", [0, new Array<string>(500).fill("query")]);
  const next = drivers.call("modbus.read", [0]);
  expect(clock.count()).toBe(1);
  clock.pass(4);
  expect(await next).toEqual([2]);
});

test("closing ends the waits", async () => {
  const { drivers, clock } = setUp();
  const calls = Array.from({ length: 600 }, () => drivers.call("level.read", []));
  expect(clock.count()).toBe(100);
  drivers.close();
  expect(await Promise.all(calls)).toHaveLength(600);
  expect(clock.count()).toBe(0);
});
