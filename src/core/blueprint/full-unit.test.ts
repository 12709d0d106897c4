import library from "@lhncbc/ucum-lhc";
import { expect, test } from "vitest";
import { ENERGY_ATOMS } from "#manifest/ucum-atoms.ts";
import { parseUnit } from "#manifest/units.ts";
import { FULL_ENERGY_UNITS, fullUnit } from "./full-unit.ts";

test.each([
  ["Wh", "W.h"],
  ["kWh", "kW.h"],
  ["MWh/d", "MW.h/d"],
  ["/kWh", "/(kW.h)"],
  ["1/kWh", "1/(kW.h)"],
  ["m3/kWh.d", "m3/(kW.h).d"],
  ["kWh2", "kW2.h2"],
  ["kWh-1", "kW-1.h-1"],
  ["VA", "V.A"],
  ["kVAh", "kV.A.h"],
  ["mAh", "mA.h"],
  ["var", "V.A{reactive}"],
  ["kVAR", "kV.A{reactive}"],
  ["kvarh", "kV.A{reactive}.h"],
  ["kWp", "kW{peak}"],
  ["W/Wp", "W/W{peak}"],
  ["kWh/(m2.a)", "kW.h/(m2.a)"],
  ["kWh{net}", "kW.h{net}"],
  // These are full already, or no units at all.
  ["%", "%"],
  ["Cel", "Cel"],
  ["W/m2", "W/m2"],
  ["[ppm]", "[ppm]"],
  ["B[10.nV]", "B[10.nV]"],
  ["m[H2O]", "m[H2O]"],
  ["[Wh]", "[Wh]"],
  ["10*3/ul", "10*3/ul"],
  ["Whatever", "Whatever"],
  ["kWh a day", "kWh a day"],
  ["", ""],
])("%s in full is %s", (code, full) => {
  expect(fullUnit(code)).toBe(full);
});

test("every energy unit has a full code that strict UCUM knows and that means the same", () => {
  const atoms = ENERGY_ATOMS.trim()
    .split(/[;\n]/)
    .map((row) => row.trim().split("*")[0] ?? "");
  expect([...FULL_ENERGY_UNITS.keys()].sort()).toEqual([...atoms].sort());
  const ucum = library.UcumLhcUtils.getInstance();
  for (const atom of atoms) {
    for (const code of [atom, `k${atom}`, `m${atom}/d`, `1/M${atom}`, `${atom}2`]) {
      const full = fullUnit(code);
      expect([full, ucum.validateUnitString(full).status]).toEqual([full, "valid"]);
      const [one, other] = [parseUnit(code), parseUnit(full)];
      expect([full, other?.dimension]).toEqual([full, one?.dimension]);
      expect((other?.factor ?? 0) / (one?.factor ?? 1)).toBeCloseTo(1, 9);
    }
  }
});
