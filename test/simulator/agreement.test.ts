// Values of a simulated device that belong together fit together: checked as properties, over the examples and over
// made-up manifests, at many moments, with and without alerts, and with values that somebody holds.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type Adjustments, untouched } from "#core/simulator/adjustments.ts";
import { createDeviceModel } from "#core/simulator/device-model.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseUnit } from "#manifest/units.ts";
import { randomFrom } from "../support/random.ts";

const MIDNIGHT = Date.parse("2026-06-15T00:00:00Z");
/** Every 17 minutes over some days, so that every hour and many half-hours are met. */
const MOMENTS = Array.from({ length: 340 }, (_, index) => instant(MIDNIGHT + index * 17 * 60_000));

function blueprintOf(text: string): Blueprint {
  const { blueprint, issues } = parseManifest(text);
  if (blueprint === undefined) throw new Error(JSON.stringify(issues));
  return blueprint;
}

const example = (name: string) =>
  blueprintOf(readFileSync(new URL(`../../examples/blueprints/${name}/manifest.yml`, import.meta.url), "utf8"));

type Values = ReadonlyMap<string, unknown>;

/** What the device says, at every moment or at fewer. */
function readings(
  blueprint: Blueprint,
  seed: number,
  { every = 1, ...change }: Partial<Adjustments> & { readonly every?: number } = {},
): readonly [Instant, Values][] {
  const model = createDeviceModel({ blueprint, seed, offsetMs: 0, readUnit: parseUnit });
  const adjustments = { ...untouched(seed, instant(MIDNIGHT)), ...change };
  return MOMENTS.filter((_, place) => place % every === 0).map((at) => [at, model.telemetry(at, adjustments)]);
}

const number = (values: Values, id: string) => Number(values.get(id) ?? Number.NaN);
const sum = (values: Values, ...ids: readonly string[]) => ids.reduce((total, id) => total + number(values, id), 0);
/** Within a share of the larger, and the rounding of small values. */
const near = (a: number, b: number, share: number, least: number) =>
  Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * share + least;

/** The moments at which something does not hold, as text. */
function broken(list: readonly [Instant, Values][], holds: (values: Values) => boolean): readonly string[] {
  return list
    .filter(([, values]) => !holds(values))
    .map(([at, values]) => `${new Date(at).toISOString()} ${JSON.stringify([...values])}`)
    .slice(0, 2);
}

test("the inverter's alternating current follows its direct current, and its trackers add up", () => {
  const list = readings(example("pv-inverter"), 7);
  expect(list.some(([, values]) => number(values, "ac_power") > 1_000)).toBe(true);
  expect(
    broken(list, (values) => {
      const [ac, dc] = [number(values, "ac_power"), number(values, "pv_power")];
      const tracker = (at: number) => number(values, `pv${at}_voltage`) * number(values, `pv${at}_current`);
      return ac <= dc + 1 && ac >= dc * 0.9 - 1 && near(tracker(1) + tracker(2), dc, 0.03, 15);
    }),
  ).toEqual([]);
});

test("what a person holds stays, and the rest follows", () => {
  const list = readings(example("pv-inverter"), 7, { telemetry: new Map([["ac_power", 4_000]]) });
  const working = list.filter(([, values]) => values.get("status") === "running");
  expect(working.length).toBeGreaterThan(20);
  expect(
    broken(working, (values) => values.get("ac_power") === 4_000 && near(number(values, "pv_power"), 4_145, 0.02, 1)),
  ).toEqual([]);
});

test("the meter's phases add up to its power, and its currents are their powers by their voltages", () => {
  expect(
    broken(readings(example("grid-meter"), 3), (values) => {
      const power = number(values, "grid_power");
      const [apparent, reactive] = [number(values, "apparent_power"), number(values, "reactive_power")];
      return (
        near(sum(values, "ac_l1_power", "ac_l2_power", "ac_l3_power"), power, 0.01, 3) &&
        [1, 2, 3].every((at) =>
          near(
            number(values, `ac_l${at}_current`) * number(values, `ac_l${at}_voltage`),
            Math.abs(number(values, `ac_l${at}_power`)),
            0.02,
            5,
          ),
        ) &&
        near(apparent ** 2, power ** 2 + reactive ** 2, 0.03, 100)
      );
    }),
  ).toEqual([]);
});

test.each([1, 2, 3, 4, 5])("statuses of the examples agree with what flows (seed %d)", (seed) => {
  const checks: Readonly<Record<string, (values: Values) => boolean>> = {
    battery: (values) => {
      const [status, power] = [values.get("status"), number(values, "battery_power")];
      const current = number(values, "battery_current") * number(values, "battery_voltage");
      if (status === "charging" && power > 0) return false;
      if (status === "discharging" && power < 0) return false;
      return (!["standby", "fault"].includes(String(status)) || power === 0) && near(current, power, 0.03, 10);
    },
    "ev-charger": (values) => {
      const [status, power] = [values.get("status"), number(values, "charging_power")];
      if (status === "charging") return power > 0 && values.get("ev_connected") === true;
      return power === 0 && (status !== "available" || values.get("ev_connected") === false);
    },
    "pv-inverter": (values) =>
      !["night", "starting", "stopped", "fault"].includes(String(values.get("status"))) ||
      number(values, "ac_power") === 0,
    electrolyser: (values) =>
      !["idle", "maintenance", "drying", "fault"].includes(String(values.get("status"))) ||
      number(values, "hydrogen_flow") === 0,
  };
  for (const [name, holds] of Object.entries(checks)) {
    expect([name, broken(readings(example(name), seed), holds)]).toEqual([name, []]);
  }
});

/** One of several, by chance. */
function chooser(seed: number) {
  const random = randomFrom(seed);
  return <T>(...items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
}

const COUNT = 60;

/** A manifest of parts that belong together, under names and units that authors use. */
function generated(seed: number) {
  const pick = chooser(seed);
  const power = pick("W", "kW");
  const category = pick("solar-generators", "battery-systems", "power-meters", "electric-vehicles", undefined);
  const dc = pick("dc", "pv", "solar", "mppt");
  const ac = pick("ac", "inverter", "ac_output");
  const grid = pick("grid", "mains", "utility");
  const numbers: readonly (readonly [string, string])[] = [
    [`${dc}_power`, power],
    [`${dc}_voltage`, "V"],
    [`${dc}_current`, "A"],
    [`${ac}_power`, pick("W", "kW")],
    [`${ac}_voltage`, "V"],
    [`${ac}_current`, "A"],
    [`${grid}_power`, power],
    [`${grid}_current`, "A"],
    [pick("ai1_current", "input_1", "analog_in", "pressure_sensor_current"), "mA"],
    [pick("h2_concentration", "gas_level_lel", "ch4", "co_sensor"), pick("[ppm]", "%")],
  ];
  const rest = [
    `  ${grid}_connected: { type: boolean, display_name: Connected }`,
    `  ${grid}_status: { type: string, display_name: Grid, enum: [${pick("connected, disconnected", "ok, islanded, fault")}] }`,
    `  ${pick("error_code", "fault_flags", "alarm_bits", "warning_code")}: { type: integer, display_name: Code }`,
    `  ${pick("error", "alarm", "fault")}_state: { type: integer, display_name: Code, enum: [0, 1, 2] }`,
    `  ${pick("fault", "alarm", "has_error")}: { type: boolean, display_name: Flag }`,
    `  status: { type: string, display_name: Status, enum: [${pick("idle, running, fault", "standby, charging, discharging, error", "off, on, alarm")}] }`,
    `  device_state: { type: string, display_name: State, enum: [${pick("stopped, running, failure", "off, active, fault")}] }`,
  ];
  const blueprint = blueprintOf(`blueprint_spec: device/3.0
display_name: Generated
runtime: { type: embedded }
${category === undefined ? "" : `category: ${category}\n`}telemetry:
${numbers.map(([id, unit]) => `  ${id}: { type: float, unit: "${unit}", display_name: ${id} }`).join("\n")}
${rest.join("\n")}
alerts:
  broken: { severity: error, display_name: Broken }
`);
  const scale = (unit: string | undefined) => (unit === "kW" ? 1_000 : 1);
  const unitOf = new Map(numbers);
  const watts = (values: Values, id: string) => number(values, id) * scale(unitOf.get(id));
  return { blueprint, ...{ dc, ac, grid, watts }, loop: numbers[8]?.[0] ?? "", gas: numbers[9] ?? ["", ""] };
}

const CODE = /error_code|fault_flags|alarm_bits|warning_code|_state$|^fault$|^alarm$|^has_error$/;

test(`values of ${COUNT} made-up devices fit together`, () => {
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const { blueprint, dc, ac, grid, watts, loop, gas } = generated(seed);
    const codes = [...blueprint.telemetry.values()].filter(({ id, type }) => CODE.test(id) && type !== "string");
    const list = readings(blueprint, seed, { alerts: new Map([["broken", false]]), every: 5 });
    const wrong = broken(list, (values) => {
      const [fed, feeding] = [watts(values, `${ac}_power`), watts(values, `${dc}_power`)];
      const [status, state] = [String(values.get("status")), String(values.get("device_state"))];
      const isAtRest = (word: string) => ["idle", "standby", "off", "stopped"].includes(word);
      return (
        (fed < 0 || (fed <= feeding + 3 && fed >= feeding * 0.9 - 3)) &&
        near(number(values, `${dc}_voltage`) * number(values, `${dc}_current`), feeding, 0.03, 10) &&
        near(number(values, `${ac}_voltage`) * number(values, `${ac}_current`), Math.abs(fed), 0.03, 10) &&
        number(values, loop) >= 4 &&
        number(values, loop) <= 20 &&
        number(values, gas[0]) >= 0 &&
        number(values, gas[0]) <= (gas[1] === "%" ? 0.5 : 5) &&
        codes.every(({ id }) => Number(values.get(id)) === 0) &&
        values.get(`${grid}_connected`) === true &&
        !["disconnected", "islanded", "fault"].includes(String(values.get(`${grid}_status`))) &&
        isAtRest(status) === isAtRest(state) &&
        (!isAtRest(status) || fed === 0)
      );
    });
    expect([seed, wrong]).toEqual([seed, []]);
  }
});

test("a disconnected grid carries no power, and nothing flows in a device with a fault", () => {
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const { blueprint, ac, grid, watts } = generated(seed);
    const codes = [...blueprint.telemetry.values()].filter(({ id, type }) => CODE.test(id) && type !== "string");
    const few = (change: Partial<Adjustments>) => readings(blueprint, seed, { ...change, every: 17 });
    const apart = few({ telemetry: new Map([[`${grid}_connected`, false]]) });
    const isFree = (values: Values) => watts(values, `${grid}_power`) === 0 && number(values, `${grid}_current`) === 0;
    expect([seed, broken(apart, isFree)]).toEqual([seed, []]);
    const faulty = few({ alerts: new Map([["broken", true]]) });
    const isSafe = (values: Values) =>
      watts(values, `${ac}_power`) === 0 && isFree(values) && codes.every(({ id }) => Number(values.get(id)) !== 0);
    expect([seed, broken(faulty, isSafe)]).toEqual([seed, []]);
  }
});
