// Each ready controller runs the demo's plant for a day or so: what it promises is compared with what the meter says, and with the same
// hours without it.
import { expect, test } from "vitest";
import { controllerOf } from "#core/rule/controllers/all-controllers.ts";
import type { ParameterValue } from "#core/rule/controllers/controller.ts";
import { renderController } from "#core/rule/controllers/render-controller.ts";
import type { Plant } from "#demo/plant/plant.ts";
import { siteLoadAt } from "#demo/plant/site-load.ts";
import { DEMO_RULE_SITE, PLANT_SITE, PlantLoop, type Quarter } from "../support/plant-loop.ts";

function made(id: string, parameters: Readonly<Record<string, ParameterValue>>): string {
  const controller = controllerOf(id);
  const { text, problems } = renderController(controller ?? raise(id), parameters, DEMO_RULE_SITE);
  return text ?? raise(problems.map(({ message }) => message).join("; "));
}

function raise(message: string): never {
  throw new Error(message);
}

const AUTUMN = "2026-11-09T00:00:00Z";
const SUMMER = "2026-06-15T00:00:00Z";
const METER = { meter: "grid-meter" };
const CAR = { ...METER, charger: "wallbox", battery: "battery-rack-a" };
const sumOf = (quarters: readonly Quarter[], of: (quarter: Quarter) => number) =>
  quarters.reduce((sum, one) => sum + of(one) / 4_000, 0);
const peakOf = (quarters: readonly Quarter[]) => Math.max(...quarters.map(({ importW }) => importW));
const withSoc =
  (soc: number) =>
  (plant: Plant): Plant => ({ ...plant, battery: { ...plant.battery, soc } });

test("surplus charging: the car charges from the sun and never from the grid", () => {
  const rules = { surplus: made("surplus_charging", CAR) };
  const loop = new PlantLoop({ from: SUMMER, rules }).run(48);
  const car = loop.quarters.filter(({ carW }) => carW > 500);
  expect(sumOf(loop.quarters, ({ carW }) => carW)).toBeGreaterThan(15);
  expect(peakOf(car)).toBeLessThan(1_000);
  // It takes turns with the clouds, and not every minute.
  expect(loop.switchesOf("surplus")).toBeLessThan(30);
  const without = new PlantLoop({ from: SUMMER, rules: {} }).run(48);
  const night = ({ at }: Quarter) => new Date(at).getUTCHours() >= 19 || new Date(at).getUTCHours() < 5;
  expect(sumOf(without.quarters.filter(night), ({ carW }) => carW)).toBeGreaterThan(10);
  expect(sumOf(loop.quarters.filter(night), ({ carW }) => carW)).toBeLessThan(1);
});

test("surplus charging: a car that waits at night is ready in the morning, and charges slowly", () => {
  const surplus = made("surplus_charging", { ...CAR, night_from: "22:00", night_to: "06:00" });
  const loop = new PlantLoop({ from: "2026-11-09T16:00:00Z", rules: { surplus } });
  let [most, taken] = [0, 0];
  loop.run(14, ({ charger }) => {
    if (charger.visit > 0) taken = charger.sessionEnergy;
    most = Math.max(most, charger.power);
  });
  expect(taken).toBeGreaterThan(12);
  expect(most).toBeLessThan(4_200);
});

test("surplus charging: a silent meter starts nothing, and stops what it cannot judge after two minutes", () => {
  const at = Date.parse(SUMMER);
  const isSilent = (from: number, hours: number) => (name: string, now: number) =>
    name === "grid-meter.grid_power" && now >= at + from * 3_600_000 && now < at + (from + hours) * 3_600_000;
  const rules = { surplus: made("surplus_charging", CAR) };
  const charging = (silence: (name: string, now: number) => boolean) => {
    const loop = new PlantLoop({ from: SUMMER, rules, isSilent: silence }).run(16);
    return (from: number, to: number) =>
      sumOf(loop.quarters, ({ at: end, carW }) =>
        end > at + from * 3_600_000 && end <= at + to * 3_600_000 ? carW : 0,
      );
  };
  const usual = charging(() => false);
  expect(usual(10, 12)).toBeGreaterThan(2);
  const silent = charging(isSilent(10, 2));
  expect(silent(10.25, 12)).toBe(0);
  expect(silent(12.25, 16)).toBeGreaterThan(1);
});

test("peak limit: no quarter of an hour is above it, and the car is charged all the same", () => {
  const limit = 6_000;
  const rules = { peak: made("peak_limit", { ...METER, device: "wallbox", limit }) };
  const loop = new PlantLoop({ from: AUTUMN, rules }).run(48);
  const without = new PlantLoop({ from: AUTUMN, rules: {} }).run(48);
  expect(peakOf(without.quarters)).toBeGreaterThan(10_000);
  expect(peakOf(loop.quarters)).toBeLessThan(limit);
  const [mine, all] = [loop, without].map(({ quarters }) => sumOf(quarters, ({ carW }) => carW));
  expect(mine).toBeGreaterThan(0.9 * (all ?? 0));
});

test("peak limit: of several devices the least important one gives way first, and no window is above the limit", () => {
  const limit = 6_000;
  const second = { device_2: "electrolyser", control_2: "production_rate", power_2: "ac_power", max_power_2: 2_400 };
  const running = (plant: Plant): Plant => ({
    ...withSoc(10)(plant),
    electrolyser: { ...plant.electrolyser, order: "run", temperature: 60, rate: 100 },
  });
  const from = "2026-11-09T16:30:00Z";
  const play = (more: Readonly<Record<string, ParameterValue>>) => {
    const peak = made("peak_limit", { ...METER, device: "wallbox", limit, ...more });
    return new PlantLoop({ from, rules: { peak }, plant: running }).run(3);
  };
  const [both, one] = [play(second), play({})];
  expect(peakOf(both.quarters)).toBeLessThan(limit);
  const car = ({ quarters }: PlantLoop) => sumOf(quarters, ({ carW }) => carW);
  expect(car(both)).toBeGreaterThan(car(one) + 0.5);
  expect(both.writes.map(({ control }) => control)).toContain("electrolyser.production_rate");
});

test("peak limit: while the meter is silent the device takes what it may without it", () => {
  const isSilent = (name: string) => name === "grid-meter.grid_power";
  const after = (more: Readonly<Record<string, ParameterValue>>) => {
    const peak = made("peak_limit", { ...METER, device: "wallbox", limit: 6_000, ...more });
    const seen = { isSilent: false };
    const loop = new PlantLoop({
      from: "2026-11-09T16:00:00Z",
      rules: { peak },
      isSilent: (name) => seen.isSilent && isSilent(name),
    });
    loop.run(0.5);
    seen.isSilent = true;
    return loop.run(0.5).writes.findLast(({ control }) => control === "wallbox.current_limit")?.value;
  };
  expect(after({})).toBe(0);
  expect(after({ without_meter: 4_140 })).toBe(6);
});

test("self-consumption: the meter stays near its target while the battery can", () => {
  const rules = {
    self: made("self_consumption", {
      ...METER,
      battery: "battery-rack-a",
      grid_target: 100,
      max_charge: 30_000,
      max_discharge: 30_000,
    }),
  };
  const miss: number[] = [];
  const loop = new PlantLoop({ from: AUTUMN, rules, plant: withSoc(60) }).run(24, ({ meter, battery }) => {
    if (battery.soc > 15 && battery.soc < 90) miss.push(Math.abs(meter.power - 100));
  });
  expect(loop.writes.length).toBeGreaterThan(100);
  expect(miss.length).toBeGreaterThan(1_000);
  miss.sort((a, b) => a - b);
  expect(miss[Math.floor(miss.length / 2)]).toBeLessThan(150);
  expect(miss.reduce((sum, one) => sum + one, 0) / miss.length).toBeLessThan(300);
});

test("battery reserve: it is not touched by the site, and the sun still charges", () => {
  const rules = { reserve: made("battery_reserve", { ...METER, battery: "battery-rack-a", reserve: 40 }) };
  let least = 100;
  const loop = new PlantLoop({ from: AUTUMN, rules, plant: withSoc(41) }).run(24, ({ battery }) => {
    least = Math.min(least, battery.soc);
  });
  expect(least).toBeGreaterThan(39.5);
  expect(Math.max(...loop.quarters.map(({ exportW }) => exportW))).toBeLessThan(1_500);
});

test("battery reserve for peaks: it takes off the peaks, and lasts longer than without", () => {
  const given = { ...METER, battery: "battery-rack-a", reserve: 50 };
  const loop = new PlantLoop({
    from: "2026-11-09T16:00:00Z",
    rules: { reserve: made("battery_reserve", { ...given, peak_limit: 6_000 }) },
    plant: withSoc(50),
  }).run(14);
  expect(peakOf(loop.quarters)).toBeLessThan(6_300);
  const without = new PlantLoop({ from: "2026-11-09T16:00:00Z", rules: {}, plant: withSoc(50) }).run(14);
  expect(loop.plant.battery.soc).toBeGreaterThan(without.plant.battery.soc + 5);
});

test("backup before storms: charges when the variable says so, and not before", () => {
  const rules = { storm: made("storm_reserve", { battery: "battery-rack-a", charge_to: 90, charge_power: 8_000 }) };
  const loop = new PlantLoop({ from: AUTUMN, rules, plant: withSoc(30), variables: { storm_expected: false } }).run(2);
  expect(loop.writes).toEqual([]);
  loop.variables.set("storm_expected", { value: true, at: loop.plant.at, causes: [] });
  loop.run(10);
  expect(loop.plant.battery.soc).toBeGreaterThan(84);
  expect(loop.effects.filter(({ effect }) => effect.kind === "notify").length).toBeGreaterThan(0);
});

test("cheap hours: on while the price is low, and what the device does by itself otherwise", () => {
  const cheap = made("cheap_hours", {
    device: "battery-rack-a",
    control: "battery_power",
    value: -5_000,
    prices: "variable",
    below: 0.2,
  });
  const loop = new PlantLoop({ from: AUTUMN, rules: { cheap }, plant: withSoc(30), variables: { price: 0.3 } }).run(1);
  const setPrice = (value: number) => loop.variables.set("price", { value, at: loop.plant.at, causes: [] });
  expect(loop.writes).toEqual([]);
  setPrice(0.1);
  expect(Math.round(loop.run(1).plant.battery.power)).toBe(-5_000);
  setPrice(0.3);
  loop.run(0.2);
  expect(loop.writes.map(({ value }) => value)).toEqual([
    -5_000,
    -5_000,
    ...Array(loop.writes.length - 3).fill(-5_000),
    undefined,
  ]);
});

test("electrolyser on sun: hydrogen is made in the sun alone, with few starts", () => {
  const rules = {
    h2: made("electrolyser_on_sun", {
      ...METER,
      electrolyser: "electrolyser",
      battery: "battery-rack-a",
      full_power: 2_400,
    }),
  };
  const stopped = (plant: Plant): Plant => ({ ...plant, electrolyser: { ...plant.electrolyser, order: "stop" } });
  let dark = 0;
  const loop = new PlantLoop({ from: SUMMER, rules, plant: stopped }).run(48, ({ electrolyser, inverter }) => {
    if (electrolyser.rate > 0 && inverter.acPower < 500) dark += 10;
  });
  expect(loop.plant.electrolyser.total - 1_954).toBeGreaterThan(3);
  expect(loop.plant.electrolyser.starts - 412).toBeLessThanOrEqual(4);
  // It ramps down for two minutes.
  expect(dark).toBeLessThan(30 * 60);
});

test("pool or heater by sun: another load follows the surplus", () => {
  const heater = made("heater_on_sun", {
    ...METER,
    battery: "battery-rack-a",
    device: "wallbox",
    power: "charging_power",
    control: "current_limit",
    min_power: 4_140,
    max_power: 11_000,
  });
  const loop = new PlantLoop({ from: SUMMER, rules: { heater } }).run(24);
  const on = loop.quarters.filter(({ carW }) => carW > 500);
  expect(on.length).toBeGreaterThan(3);
  expect(peakOf(on)).toBeLessThan(1_000);
});

test("export limit: no more goes to the grid, and the site still gets its sun", () => {
  const limit = 3_000;
  const rules = { limit: made("export_limit", { ...METER, inverter: "roof-inverter", limit, rated_power: 25_000 }) };
  const full = (plant: Plant): Plant => ({ ...withSoc(100)(plant), charger: { ...plant.charger, limit: 0 } });
  const options = { from: "2026-06-15T06:00:00Z", plant: full };
  const loop = new PlantLoop({ ...options, rules }).run(12);
  const without = new PlantLoop({ ...options, rules: {} }).run(12);
  expect(Math.max(...without.quarters.map(({ exportW }) => exportW))).toBeGreaterThan(10_000);
  expect(Math.max(...loop.quarters.map(({ exportW }) => exportW))).toBeLessThan(limit * 1.05);
  expect(sumOf(loop.quarters, ({ importW }) => importW)).toBeLessThan(
    sumOf(without.quarters, ({ importW }) => importW) + 1,
  );
});

test("load shedding: the power stays below the limit, and the less important load goes first", () => {
  const limit = 9_000;
  const shed = made("load_shedding", {
    ...METER,
    limit,
    load_1: "wallbox",
    load_1_control: "current_limit",
    load_1_power: "charging_power",
    load_1_max: 11_000,
    load_2: "electrolyser",
    load_2_control: "production_rate",
    load_2_power: "ac_power",
    load_2_max: 2_400,
  });
  const running = (plant: Plant): Plant => ({
    ...withSoc(10)(plant),
    electrolyser: { ...plant.electrolyser, order: "run", temperature: 60, rate: 100 },
  });
  const above: number[] = [];
  const loop = new PlantLoop({ from: "2026-11-09T16:30:00Z", rules: { shed }, plant: running }).run(3, (plant) => {
    const load = siteLoadAt(PLANT_SITE, plant.at).reduce((sum, one) => sum + one, 0);
    if (load < limit - 1_600 && plant.meter.power > limit * 1.1) above.push(plant.at);
  });
  // A burst may be over before anybody has reacted.
  expect(above.length * 10).toBeLessThan(180);
  expect(sumOf(loop.quarters, ({ carW }) => carW)).toBeGreaterThan(2);
  // The electrolyser goes to its least rate before the car gets less than it wants.
  expect(loop.plant.electrolyser.setRate).toBe(60);
});

test("daily report: says what the counters say", () => {
  const given = { ...METER, battery: "battery-rack-a", inverter: "roof-inverter" };
  const loop = new PlantLoop({
    from: "2026-11-09T20:58:00Z",
    stepMs: 60_000,
    rules: { report: made("daily_report", given) },
  });
  const counters = ({ meter, inverter }: Plant) => [meter.imported, meter.exported, inverter.yieldTotal];
  const before = counters(loop.run(2 / 60).plant);
  loop.run(24 + 2 / 60);
  const after = counters(loop.plant);
  const said = loop.effects.flatMap(({ effect }) => (effect.kind === "notify" ? [effect.text] : []));
  expect(said).toHaveLength(2);
  // The first day is not known from its beginning.
  expect(said[0]).toContain("(unknown) kWh came from the grid");
  const numbers = [...(said[1] ?? "").matchAll(/([\d.]+) (?:kWh|%)/g)].map(([, number]) => Number(number));
  after.forEach((value, n) => {
    expect(Math.abs((numbers[n] ?? 0) - (value - (before[n] ?? 0)))).toBeLessThan(0.8);
  });
  expect(numbers[3]).toBeCloseTo(loop.plant.battery.soc, 0);
});

test("surplus charging, peak limit and battery reserve together do not fight", () => {
  const rules = {
    surplus: made("surplus_charging", { ...CAR, night_from: "22:00", night_to: "06:00" }),
    peak: made("peak_limit", { ...METER, device: "wallbox", limit: 6_000 }),
    reserve: made("battery_reserve", { ...METER, battery: "battery-rack-a", reserve: 30, peak_limit: 6_000 }),
  };
  const loop = new PlantLoop({ from: AUTUMN, rules }).run(48);
  expect(loop.isContradicted).toBe(false);
  expect(peakOf(loop.quarters)).toBeLessThan(6_000);
  // The car pauses and goes on a few times a day, and the battery does not swing between charging and discharging.
  const car = loop.writes
    .filter(({ control }) => control === "wallbox.current_limit")
    .map(({ value = 16 }) => value >= 6);
  expect(turnsOf(car)).toBeLessThan(30);
  const battery = loop.writes.filter(({ control }) => control.startsWith("battery")).map(({ value = 0 }) => value < 0);
  expect(turnsOf(battery)).toBeLessThan(40);
});

test.each([
  ["the peak limit is older", ["peak", "surplus"]],
  ["surplus charging is older", ["surplus", "peak"]],
] as const)("it does not matter that %s", (_, order) => {
  const texts = {
    surplus: made("surplus_charging", { ...CAR, night_from: "22:00", night_to: "06:00" }),
    peak: made("peak_limit", { ...METER, device: "wallbox", limit: 6_000 }),
  };
  const rules = Object.fromEntries(order.map((id) => [id, texts[id]]));
  const loop = new PlantLoop({ from: "2026-11-09T12:00:00Z", rules }).run(24);
  expect([loop.isContradicted, peakOf(loop.quarters) < 6_000]).toEqual([false, true]);
});

const turnsOf = (list: readonly boolean[]): number => list.filter((one, n) => n > 0 && one !== list[n - 1]).length;
