import ucum from "@lhncbc/ucum-lhc";
import { expect, test } from "vitest";
import { suggestUnit } from "./suggest-unit.ts";
import { areCompatible, convert, isKnownUnit, parseUnit } from "./units.ts";

const library = ucum.UcumLhcUtils.getInstance();
/** Every unit that the reference implementation has a row for; some rows carry stray spaces. */
const reference = Object.values(ucum.UnitTables.getInstance().unitCodes_).filter((unit) => !unit.csCode_.includes(" "));

test("every unit of the reference implementation is known", () => {
  expect(reference.length).toBeGreaterThan(700);
  expect(reference.map((unit) => unit.csCode_).filter((code) => !isKnownUnit(code))).toEqual([]);
});

test("every unit that converts by a factor has the factor of the reference implementation", () => {
  // The reference forgets the factors of these two definitions.
  const wrongThere = /\[LPF\]/;
  const factors = reference.filter(
    (unit) => unit.cnv_ === null && !unit.isArbitrary_ && !wrongThere.test(unit.csCode_),
  );
  const others = factors.filter((unit) => {
    const factor = parseUnit(unit.csCode_)?.factor ?? Number.NaN;
    return !(Math.abs(factor / unit.magnitude_ - 1) < 1e-9);
  });
  expect(others.map((unit) => unit.csCode_)).toEqual([]);
});

const PARTS = ["m", "kW", "h", "s2", "Cel", "%", "g", "10*3", "[ppm]", "{x}", "Pa", "foo", "k", "", "2", "m-1", "(s)"];

test("products and quotients are known exactly when the reference implementation knows them", () => {
  const differing: string[] = [];
  for (const one of PARTS) {
    for (const other of PARTS) {
      for (const operator of [".", "/"]) {
        const code = `${one}${operator}${other}`;
        // The reference refuses scales such as Cel in products, where they are plainly differences, and reads more than
        // one unit where UCUM has none.
        if (code.includes("Cel") || code.startsWith(".")) continue;
        if (isKnownUnit(code) !== (library.validateUnitString(code).status === "valid")) differing.push(code);
      }
    }
  }
  expect(differing).toEqual([]);
});

test.each([
  ["1500 kW MW", 1.5],
  ["1 kWh MJ", 3.6],
  ["0.1 kWh Wh", 100],
  ["1 Ah C", 3600],
  ["72 km/h m/s", 20],
  ["100 Cel [degF]", 212],
  ["0 Cel K", 273.15],
  ["-40 [degF] Cel", -40],
  ["20 Cel Cel", 20],
  ["1 kvar VA", 1000],
  ["50 % [ppth]", 500],
  ["1 bar kPa", 100],
  ["1 L/min m3/h", 0.06],
  ["3 dB B", 0.3],
  ["1 kW kWh", undefined],
  ["1 kW foo", undefined],
  ["1 [pH] mol/l", undefined],
])("%s is %d", (given, expected) => {
  const [value, from = "", to = ""] = given.split(" ");
  expect(convert(Number(value), from, to)).toBe(expected);
});

test.each(["kWh", "MWh", "VA", "kVAr", "kVAR", "kvarh", "mAh", "kWp", "W/m2", "uS/cm", "%{LEL}", "1/min", "/min"])(
  "%s is a unit",
  (code) => {
    expect(isKnownUnit(code)).toBe(true);
  },
);

test.each([
  "",
  " ",
  "kwh",
  "degC",
  "ppm",
  "rpm",
  "m//s",
  "m3/",
  "(m",
  "m)",
  "kmin",
  "Nm3",
  "constructor",
  "__proto__",
  `${"m.".repeat(50)}m`,
  "[",
  "{",
  "m{",
  "\u0000",
])("[%s] is no unit", (code) => {
  expect(isKnownUnit(code)).toBe(false);
});

test("a custom unit is known and fits only itself", () => {
  const custom = new Set(["g_co2_per_kWh"]);
  expect(isKnownUnit("g_co2_per_kWh", custom)).toBe(true);
  expect(areCompatible("g_co2_per_kWh", "g_co2_per_kWh")).toBe(true);
  expect(areCompatible("g_co2_per_kWh", "g/kWh")).toBe(false);
});

test.each([
  ["degC", "Cel"],
  ["°C", "Cel"],
  ["ppm", "[ppm]"],
  ["rpm", "1/min"],
  ["kwh", "kWh"],
  ["KW", "kW"],
  ["m³/h", "m3/h"],
  ["m^3", "m3"],
  ["µS/cm", "uS/cm"],
  ["W/m²", "W/m2"],
  ["kW*h", "kW.h"],
  ["%LEL", "%{LEL}"],
  ["Ω", "Ohm"],
  ["lietr", undefined],
  ["USD", undefined],
])("for %s the suggestion is %s", (code, expected) => {
  expect(suggestUnit(code, [])?.unit).toBe(expected);
});

test.each("NL/h nl/min Nl Nm3 Nm3/h ln/h ln/min sl/min slpm SLPM sccm barg bara bar(g) hp".split(" "))(
  "%s is a unit of its own: none that looks alike is suggested",
  (code) => {
    expect(suggestUnit(code, [])).toBeUndefined();
  },
);

test.each([
  ["kwh", true],
  ["m³/h", true],
  ["mpa", false],
])("for %s, whether the suggestion is the same unit is %s", (code, isSame) => {
  expect(suggestUnit(code, [])?.isSame).toBe(isSame);
});

test("the nearest unit may be a custom one", () => {
  expect(suggestUnit("rotatons", ["rotations"])).toEqual({ unit: "rotations", isSame: false });
});
