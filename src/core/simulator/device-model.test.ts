import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { parseUnit } from "#manifest/units.ts";
import { type Adjustments, adjust, fitting, simulatedTime, untouched } from "./adjustments.ts";
import { afterArrival, afterSuccess, answerOf, planRun } from "./answer-command.ts";
import { createDeviceModel } from "./device-model.ts";

const MIDNIGHT = instant(Date.UTC(2026, 5, 15));
const hour = (hours: number): Instant => instant(MIDNIGHT + hours * 3_600_000);
const DAY = Array.from({ length: 24 * 12 }, (_, index) => hour(index / 12));
const quiet = untouched(7, MIDNIGHT);

function blueprintOf(text: string): Blueprint {
  const { blueprint, issues } = parseManifest(text);
  if (blueprint === undefined) throw new Error(JSON.stringify(issues));
  return blueprint;
}
const example = (name: string) =>
  blueprintOf(readFileSync(new URL(`../../../examples/blueprints/${name}/manifest.yml`, import.meta.url), "utf8"));
const model = (blueprint: Blueprint, seed = 7) =>
  createDeviceModel({ blueprint, seed, offsetMs: 0, readUnit: parseUnit });

/** The attribute of an example over a day, every five minutes. */
function day(name: string, attribute: string, adjustments: Adjustments = quiet): readonly number[] {
  const made = model(example(name));
  return DAY.map((at) => Number(made.telemetry(at, adjustments).get(attribute)));
}
const range = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;

/** Example, attribute, bounds it keeps within, and how much of them it uses at least over a day. */
test.each([
  ["pv-inverter", "ac_power", 0, 10_000, 0.3],
  ["pv-inverter", "ac_frequency", 49.9, 50.1, 0.1],
  ["pv-inverter", "ac_l1_voltage", 220, 240, 0.1],
  ["battery", "battery_soc", 0, 100, 0.2],
  ["battery", "battery_temperature", 20, 30, 0.1],
  ["battery", "cell_voltage_min", 3_200, 3_400, 0.1],
  ["grid-meter", "grid_power", -8_000, 8_000, 0.3],
  ["grid-meter", "power_factor", 0.9, 1, 0.1],
  ["weather-station", "solar_irradiance", 0, 1_000, 0.2],
  ["weather-station", "relative_humidity", 0, 100, 0.1],
  ["weather-station", "air_pressure", 990, 1_040, 0.1],
  ["weather-station", "wind_direction", 0, 360, 0.1],
  ["weather-station", "air_temperature", 0, 30, 0.1],
  ["electrolyser", "outlet_pressure", 10, 30, 0.05],
] as const)("%s: %s stays between %d and %d, and moves", (name, attribute, least, most, share) => {
  const [low, high] = range(day(name, attribute));
  expect([low >= least, high <= most, high - low >= share * (most - least)]).toEqual([true, true, true]);
});

test("the sun shines by day, by the clock of the place", () => {
  const blueprint = example("pv-inverter");
  const powerAt = (offsetMs: number, at: Instant) =>
    createDeviceModel({ blueprint, seed: 7, offsetMs, readUnit: parseUnit }).telemetry(at, quiet).get("ac_power");
  expect([powerAt(0, hour(0)), powerAt(12 * 3_600_000, hour(12))]).toEqual([0, 0]);
  expect(powerAt(0, hour(12))).toBeGreaterThan(1_000);
  expect(powerAt(12 * 3_600_000, hour(0))).toBeGreaterThan(1_000);
});

test.each([
  ["pv-inverter", "yield_total"],
  ["grid-meter", "grid_energy_import"],
  ["grid-meter", "grid_energy_export"],
  ["ev-charger", "energy_total"],
  ["battery", "charge_throughput"],
  ["battery", "full_cycles"],
  ["electrolyser", "hydrogen_total"],
  ["electrolyser", "stack_starts"],
  ["electrolyser", "stack_runtime"],
])("%s: %s only rises, over days and years", (name, attribute) => {
  const made = model(example(name));
  const moments = [...DAY, hour(25), hour(24 * 40), hour(24 * 400), hour(24 * 4_000)];
  const values = moments.map((at) => Number(made.telemetry(at, quiet).get(attribute)));
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  expect(values.at(-1)).toBeGreaterThan(values[0] ?? 0);
});

test("an energy counter counts its power", () => {
  const made = model(example("pv-inverter"));
  const energy = (at: Instant) => Number(made.telemetry(at, quiet).get("yield_total"));
  const mean = day("pv-inverter", "ac_power").reduce((sum, watts) => sum + watts, 0) / DAY.length;
  expect((energy(hour(24)) - energy(hour(0))) / ((mean * 24) / 1_000)).toBeCloseTo(1, 1);
});

test("energy of the day begins anew at midnight", () => {
  const made = model(example("pv-inverter"));
  const today = (at: Instant) => Number(made.telemetry(at, quiet).get("yield_day"));
  expect([today(hour(0)), today(hour(24))]).toEqual([0, 0]);
  expect(today(hour(23.9))).toBeGreaterThan(1);
});

test("a status stays for a while, fits what the device does, and is faulty only with an error", () => {
  const made = model(example("battery"));
  const statuses = DAY.map((at) => String(made.telemetry(at, quiet).get("status")));
  const changes = statuses.filter((status, index) => index > 0 && status !== statuses[index - 1]).length;
  expect(changes).toBeLessThan(16);
  expect(new Set(statuses)).toContain("charging");
  expect(new Set(statuses)).not.toContain("fault");
  const hot = { ...quiet, alerts: new Map([["too_hot", true]]) };
  expect(made.telemetry(hour(12), hot).get("status")).toBe("fault");
});

test("a battery is charged while its power is negative, and the words for it agree", () => {
  const made = model(example("battery"));
  const at = (when: Instant) => made.telemetry(when, quiet);
  const [noon, evening] = [at(hour(11.5)), at(hour(19.5))];
  expect([Number(noon.get("battery_power")) < 0, noon.get("status")]).toEqual([true, "charging"]);
  expect([Number(evening.get("battery_power")) > 0, evening.get("status")]).toEqual([true, "discharging"]);
  expect(Number(at(hour(15)).get("battery_soc"))).toBeGreaterThan(Number(at(hour(8)).get("battery_soc")) + 20);
});

test("an inverter is starting only before its power flows", () => {
  const made = model(example("pv-inverter"));
  const minutes = Array.from({ length: 14 * 1440 }, (_, minute) => made.telemetry(hour(minute / 60), quiet));
  const starting = minutes.filter((values) => values.get("status") === "starting");
  expect(starting.length).toBeGreaterThan(14);
  expect(new Set(starting.map((values) => values.get("ac_power")))).toEqual(new Set([0]));
  const noons = Array.from({ length: 400 }, (_, day) => made.telemetry(hour(day * 24 + 12), quiet).get("status"));
  expect(noons).not.toContain("starting");
});

test("alerts come and go by themselves, each from one source", () => {
  const made = model(example("electrolyser"));
  const seen = new Map<string, Set<string>>();
  let calm = 0;
  for (let step = 0; step < 24 * 60 * 30; step += 2) {
    const values = made.telemetry(hour(step / 60), quiet);
    const lists = ["alerts", "safety_alerts"].map((source) => [source, values.get(source) as string[]] as const);
    if (lists.every(([, ids]) => ids.length === 0)) calm++;
    for (const [source, ids] of lists) for (const id of ids) seen.set(id, (seen.get(id) ?? new Set()).add(source));
  }
  expect([...seen.keys()].sort()).toEqual([...made.blueprint.alerts.keys()].sort());
  for (const sources of seen.values()) expect(sources.size).toBe(1);
  expect(calm).toBeGreaterThan(24 * 15 * 20);
});

test("what is held is what is said; what a command set comes before what would be", () => {
  const made = model(example("ev-charger"));
  const held = { ...quiet, telemetry: new Map([["charging_power", 1]]), written: new Map([["current_limit", 13]]) };
  const said = made.telemetry(hour(20), held);
  expect([said.get("charging_power"), said.get("current_limit")]).toEqual([1, 13]);
  expect(made.telemetry(hour(20), quiet).get("current_limit")).toBe(32);
});

test("a stopped device has no power, and its counters stand still until it runs again", () => {
  const made = model(example("ev-charger"));
  const stopped = { ...quiet, stoppedAt: hour(19) };
  const at = (when: Instant) => made.telemetry(when, stopped);
  expect(at(hour(20)).get("charging_power")).toBe(0);
  expect(at(hour(21)).get("energy_total")).toBe(at(hour(20)).get("energy_total"));
  expect(Number(made.telemetry(hour(21), quiet).get("energy_total"))).toBeGreaterThan(
    Number(at(hour(21)).get("energy_total")),
  );
});

test("a read command returns what pre-fills the form, within its bounds, and what was written since", () => {
  const made = model(example("electrolyser"));
  const [read, write] = ["read_production_rate", "set_production_rate"].map((id) => made.blueprint.commands.get(id));
  if (read === undefined || write === undefined) throw new Error("the example has changed");
  const reading = { call: { id: "1", command: read, arguments: {} }, at: hour(3) };
  const first = Number(answerOf(made, reading, quiet)["production_rate"]);
  expect([first >= 60, first <= 100]).toEqual([true, true]);
  const after = afterSuccess(quiet, { id: "2", command: write, arguments: { production_rate: 72.5 } }, hour(3));
  expect(answerOf(made, reading, after)).toEqual({ production_rate: 72.5 });
});

test("a secret is not remembered", () => {
  const made = model(example("ev-charger"));
  const command = made.blueprint.commands.get("add_card");
  if (command === undefined) throw new Error("the example has changed");
  const given = { card_number: "4711", holder: "Eve", tariff: { price: 1 } };
  expect([...afterSuccess(quiet, { id: "1", command, arguments: given }, hour(1)).written.keys()]).toEqual([
    "holder",
    "tariff",
  ]);
});

test("reading is quick, writing takes a moment, work takes seconds and reports how far it is", () => {
  const { commands } = example("battery");
  const length = (name: string) => {
    const command = commands.get(name);
    if (command === undefined) throw new Error("the example has changed");
    const { lines, endsAfterMs = 0 } = planRun({ id: "x", command }, quiet);
    return [lines.length, endsAfterMs < 300, endsAfterMs < 1_000, endsAfterMs < 8_000];
  };
  expect(length("read_mode")).toEqual([0, true, true, true]);
  expect(length("set_mode")).toEqual([0, false, true, true]);
  expect(length("start_balancing")).toEqual([3, false, false, true]);
});

test("a rule for the next command is used up by the commands it is for", () => {
  const { commands } = example("battery");
  const [read, set] = [commands.get("read_mode"), commands.get("set_mode")];
  if (read === undefined || set === undefined) throw new Error("the example has changed");
  const nextCommand = {
    kind: "fail",
    command: "set_mode",
    times: 2,
    message: undefined,
    delayMs: 0,
    reportsProgress: true,
  } as const;
  const ruled = { ...quiet, nextCommand };
  expect(afterArrival(ruled, read)).toBe(ruled);
  expect(planRun({ id: "x", command: read }, ruled).failure).toBeUndefined();
  expect(planRun({ id: "x", command: set }, ruled).failure).toBe("simulated failure");
  const once = afterArrival(ruled, set);
  expect([once.nextCommand?.times, afterArrival(once, set).nextCommand]).toEqual([1, undefined]);
});

test("simulated time goes on from where it was when its speed changes", () => {
  const blueprint = example("battery");
  const faster = adjust({ blueprint, now: hour(1) }, quiet, { speed: 10 }).adjustments;
  expect(simulatedTime(faster, hour(2))).toBe(hour(11));
  const paused = adjust({ blueprint, now: hour(2) }, faster, { isPaused: true }).adjustments;
  expect(simulatedTime(paused, hour(9))).toBe(hour(11));
  const resumed = adjust({ blueprint, now: hour(9) }, paused, { isPaused: false, speed: 1 }).adjustments;
  expect(simulatedTime(resumed, hour(10))).toBe(hour(12));
  // A clock that was set back does not turn simulated time back.
  expect(simulatedTime(resumed, hour(5))).toBe(hour(11));
});

test("another blueprint keeps what fits it", () => {
  const held = {
    ...quiet,
    telemetry: new Map<string, unknown>([
      ["status", "fault"],
      ["battery_soc", 5],
    ]),
  };
  expect([...fitting(example("grid-meter"), held).telemetry]).toEqual([["status", "fault"]]);
});

test("without a category the profiles give the kind of device, and profile fields what an attribute is", () => {
  const made = model(
    blueprintOf(`blueprint_spec: device/3.0
display_name: Nameless
implements: [energy.battery]
runtime: {type: embedded}
telemetry:
  x1: {type: float, unit: W, display_name: X1}
  x2: {type: float, unit: "%", display_name: X2, implements: energy.battery.state_of_charge.battery_soc}
`),
  );
  const at = (hours: number, id: string) => Number(made.telemetry(hour(hours), quiet).get(id));
  expect([at(11.5, "x1") < -500, at(19.5, "x1") > 500]).toEqual([true, true]);
  expect(at(15.5, "x2")).toBeGreaterThan(at(7.5, "x2") + 10);
});

test("what a control sets is measured until its fallback lets the device run by itself", () => {
  const blueprint = blueprintOf(`blueprint_spec: device/3.0
display_name: Battery
runtime: {type: embedded}
telemetry: {battery_power: {type: float, unit: W, display_name: Power}}
command_groups: {all: {display_name: All}}
commands:
  set_power: {group: all, display_name: Set, arguments: {power: {type: float, unit: kW, display_name: P}}}
  set_mode: {group: all, display_name: Mode, arguments: {mode: {type: string, display_name: M}}}
.busbar:
  controls:
    power:
      {command: set_power, argument: power, reads: battery_power, min: -5, max: 5, fallback: {command: set_mode, arguments: {mode: auto}}}
`);
  const controls = resolveControls(blueprint, starterLibrary());
  const model = createDeviceModel({ blueprint, controls, seed: 7, offsetMs: 0, readUnit: parseUnit });

  const power = (adjustments: Adjustments) => model.telemetry(hour(1), adjustments).get("battery_power");
  const after = (adjustments: Adjustments, name: string, given: Record<string, unknown>) => {
    const command = blueprint.commands.get(name);
    if (command === undefined) throw new Error(`no command ${name}`);
    return afterSuccess(adjustments, { id: "1", command, arguments: given }, hour(1), controls);
  };
  const set = after(quiet, "set_power", { power: -2.5 });
  expect(power(set)).toBe(-2500);
  expect(power(after(set, "set_mode", { mode: "manual" }))).toBe(-2500);
  expect(power(after(set, "set_mode", { mode: "auto" }))).toBe(power(quiet));
  expect(power(quiet)).not.toBe(-2500);
});
