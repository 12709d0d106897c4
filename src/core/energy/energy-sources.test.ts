import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type EnergyChoice, energyChoiceOf, energySourcesOf, withoutDoubles } from "#core/energy/energy-sources.ts";

const METER = ["grid_power: W", "grid_energy_import: Wh", "grid_energy_export: Wh"];

function sourcesOf(category: string, attributes: readonly string[], choice?: EnergyChoice): readonly string[] {
  const telemetry = attributes.map((line) => {
    const [id = "", unit] = line.split(": ");
    return [id, { id, unit, type: "float", aliases: [] }] as const;
  });
  const blueprint = { category, telemetry: new Map(telemetry) } as unknown as Blueprint;
  return energySourcesOf(blueprint, () => 1, choice).map(({ role, group, power, counter, counterBack }) =>
    [
      role,
      group ?? "-",
      power === undefined ? "-" : `${power.factor < 0 ? "-" : ""}${power.id}`,
      counter?.id ?? "-",
      counterBack?.id ?? "-",
    ].join(" "),
  );
}

test.each([
  [undefined, ["grid - grid_power grid_energy_import grid_energy_export"]],
  ["grid", ["grid - grid_power grid_energy_import grid_energy_export"]],
  // A meter before the loads of a building.
  ["load", ["load load grid_power grid_energy_import -"]],
  // What a meter before the panels exports is produced.
  ["production", ["production production -grid_power grid_energy_export -"]],
  ["battery", ["battery - -grid_power - -"]],
  ["none", []],
] as const)("a meter whose role is %s", (choice, expected) => {
  expect(sourcesOf("power-meters", METER, choice)).toEqual(expected);
});

test.each([
  ["electric-vehicles", ["ac_power: W"], "load", ["load car ac_power - -"]],
  [
    "solar-generators",
    ["ac_power: W", "ac_energy_total: Wh"],
    "production",
    ["production solar ac_power ac_energy_total -"],
  ],
  ["solar-generators", ["ac_power: W", "ac_energy_total: Wh"], "none", []],
  // A hybrid inverter is only what a person says that it is.
  [
    "solar-generators",
    ["pv_power: W", "battery_power: W", ...METER],
    "production",
    ["production solar pv_power grid_energy_export -"],
  ],
  ["sensors", [], "load", []],
] as const)("a device of %s with %j that is %s", (category, attributes, choice, expected) => {
  expect(sourcesOf(category, attributes, choice)).toEqual(expected);
});

test("where people say which meters are the grid's, no other one is; other roles are not affected", () => {
  const source = (id: string, role: "grid" | "battery", isChosen: boolean) => ({
    id,
    role,
    isChosen,
    category: undefined,
  });
  const kept = (...sources: readonly ReturnType<typeof source>[]) =>
    withoutDoubles(sources)
      .map(({ id }) => id)
      .join(" ");
  expect(kept(source("a", "grid", false), source("b", "grid", false))).toBe("a b");
  expect(kept(source("a", "grid", true), source("b", "grid", false))).toBe("a");
  expect(kept(source("a", "grid", true), source("b", "grid", true))).toBe("a b");
  expect(kept(source("a", "battery", true), source("b", "battery", false))).toBe("a b");
});

test.each(["", "GRID", "toString", "auto", undefined])("%j is no choice, so it is guessed", (energyRole) => {
  expect(energyChoiceOf({ energyRole })).toBeUndefined();
});
