import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { argumentValue, valueOfArgument, valueOfReading } from "#core/control/control.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { resolveControls } from "./resolve-controls.ts";

function read(text: string): Blueprint {
  const { blueprint, issues } = parseManifest(
    `blueprint_spec: device/3.0\ndisplay_name: Demo\nruntime: {type: embedded}\ncommand_groups: {main: {display_name: Main}}\n${text}`,
  );
  expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
  if (blueprint === undefined) throw new Error("not valid");
  return blueprint;
}

const BATTERY = `
implements: [energy.battery.control, energy.battery.power]
telemetry:
  dc_power: {type: float, unit: kW, display_name: Power, implements: energy.battery.power.battery_power}
commands:
  force:
    group: main
    display_name: Force
    implements: energy.battery.control.set_battery_power
    arguments:
      power: {type: float, unit: kW, min: -5, max: 5, required: true, display_name: Power}
`;

const only = (text: string) => {
  const [control, ...others] = resolveControls(read(text), starterLibrary()).values();
  expect(others).toEqual([]);
  if (control === undefined) throw new Error("no control");
  return control;
};

test("a blueprint gets the control of the profile that it implements, in its own names and units", () => {
  const control = only(BATTERY);
  expect(control).toMatchObject({
    id: "battery_power",
    command: "force",
    unit: "W",
    min: -5000,
    max: 5000,
    profile: "energy.battery.control",
    reads: { attribute: "dc_power" },
    fallback: { kind: "value", value: 0 },
  });
  expect(argumentValue(control, 2500)).toBe(2.5);
  expect(valueOfArgument(control, 2.5)).toBe(2500);
  expect(valueOfReading(control, -1.2)).toBe(-1200);
});

test("its own control counts, not that of the profile for the same argument", () => {
  const own = `${BATTERY}.busbar: {controls: {force: {command: force, argument: power, max: 3, fallback: {value: min}}}}`;
  expect(only(own)).toMatchObject({ id: "force", unit: "kW", max: 3, fallback: { value: -5 }, profile: undefined });
});

test("yes and no are 1 and 0", () => {
  const control = only(`
implements: [device.relay]
telemetry: {relay_closed: {type: boolean, display_name: Closed}}
commands:
  set_relay: {group: main, display_name: Set, arguments: {closed: {type: boolean, required: true, display_name: Close}}}
`);
  expect(control).toMatchObject({ id: "relay", min: 0, max: 1, step: 1 });
  expect([argumentValue(control, 1), argumentValue(control, 0), valueOfReading(control, true)]).toEqual([
    true,
    false,
    1,
  ]);
});

test.each([
  [
    "needs another argument",
    "power: {type: float, unit: kW, required: true, display_name: P}, minutes: {type: float, required: true, display_name: M}",
  ],
  ["takes a text", "power: {type: string, required: true, display_name: P}"],
  ["has another quantity", "power: {type: float, unit: A, required: true, display_name: P}"],
])("a profile's control is left out if the command %s", (_, given) => {
  const text = BATTERY.replace(/arguments:\n.*/, `arguments: {${given}}`);
  expect(resolveControls(read(text), starterLibrary()).size).toBe(0);
});

test("every profile for control has one", () => {
  const declared = [...starterLibrary().ids()].flatMap((id) => [...(starterLibrary().get(id)?.controls.keys() ?? [])]);
  const ids = ["battery_power", "current_limit", "heat_pump_power_limit", "power_limit", "production_rate", "relay"];
  expect(declared.sort()).toEqual(ids);
});
