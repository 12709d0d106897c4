import { expect, test } from "vitest";
import { readManifest } from "./manifest.ts";
import { scaleValue, showValue, unitSymbol } from "./show-value.ts";

const manifest = readManifest({
  units: { cycle: { symbol: "cycles" } },
  telemetry: {
    power: { type: "float", unit: "W", auto_scale: ["W", "kW", "MW"] },
    status: {
      type: "string",
      enum: ["on", "off"],
      enum_with_metainfo: [{ value: "on", display_name: "Running", color: "green" }],
    },
    cycles: { type: "float", unit: "cycle" },
    contactors: { type: "array_of_strings" },
    open: { type: "boolean" },
    constructor: { type: "integer" },
  },
});

const shown = (attribute: string, value: unknown, locale: "en" | "de" = "en") => {
  const { text, unit } = showValue(value, manifest.telemetry.get(attribute), { locale, units: manifest.units });
  return unit === undefined ? text : `${text} ${unit}`;
};

test.each([
  ["power", 950, "950 W"],
  ["power", 42_600, "42.6 kW"],
  ["power", -1_500_000, "−1.5 MW"],
  ["power", 0.2, "0.2 W"],
  ["power", 0, "0 W"],
  ["status", "on", "Running"],
  ["status", "strange", "strange"],
  ["cycles", 12.5, "12.5 cycles"],
  ["contactors", ["main_plus", "precharge"], "main_plus, precharge"],
  ["contactors", [], "none"],
  ["contactors", [{ a: 1 }], '[{"a":1}]'],
  ["open", true, "yes"],
  ["constructor", 3, "3"],
  ["undeclared", 1.25, "1.25"],
])("%s = %j reads %s", (attribute, value, text) => {
  expect(shown(attribute, value)).toBe(text);
});

test("the meaning of an enum value carries its colour", () => {
  expect(
    showValue("on", manifest.telemetry.get("status"), { locale: "en", units: manifest.units }).meaning?.color,
  ).toBe("green");
});

test("a scale of units that do not fit is ignored", () => {
  expect(scaleValue(5, "W", ["kg"])).toEqual({ value: 5, unit: "W" });
});

test.each([
  ["Cel", "°C"],
  ["W/m2", "W/m²"],
  ["m3/h", "m³/h"],
  ["uS/cm", "µS/cm"],
  ["kOhm", "kΩ"],
  ["A.h", "Ah"],
  ["%", "%"],
  ["kWh", "kWh"],
  ["kW.h", "kWh"],
  ["V.A", "VA"],
  ["kV.A{reactive}", "kvar"],
  ["kV.A{reactive}.h", "kvarh"],
  ["kW{peak}", "kWp"],
])("the unit %s is written %s", (code, symbol) => {
  expect(unitSymbol(code)).toBe(symbol);
});

test("a strange manifest gives an empty one, never an exception", () => {
  for (const strange of [undefined, null, 5, [], { telemetry: 3, commands: [1], alerts: { a: null } }]) {
    expect(readManifest(strange).telemetry.size).toBe(0);
  }
});
