// Words that may stand in a manifest, from the interface alone.
import type { Random } from "./random.ts";
import type { Value } from "./render-tree.ts";

export const LEVELS = ["readonly", "user", "owner", "installer", "vendor", "system"];
export const CATEGORIES =
  "battery-systems control data-providers electric-vehicles electrolysers fuel-cells fuel-generators gas-equipment hvac hydrogen-storage loads networking power-distribution power-meters sensors solar-generators water-treatment wind-generators".split(
    " ",
  );
export const COLOURS = "blue yellow green red cyan pink purple orange"
  .split(" ")
  .flatMap((hue) => ["-lighter", "-light", "", "-dark", "-darker"].map((shade) => hue + shade));
export const WORDS =
  "power voltage current mode state level limit grid battery stack pressure speed energy cell pump fan valve relay load source".split(
    " ",
  );
/** Ordinary IDs, however odd they look. */
export const ODD_IDS = [
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "a",
  "Z9_",
  "true",
  "null",
  "yes",
  "prototype",
];
export const TEXTS = [
  "Plain text",
  "with: colon",
  "#hash",
  "it's",
  'say "hi"',
  "ünïcödé ✓",
  "- dash",
  "a\nb",
  "[x]",
  "{y}",
  "100%",
  "",
  " padded ",
  "back\\slash",
  "123",
  "true",
  "~",
];
export const UNIT_FAMILIES = [
  ["W", "kW", "MW", "GW"],
  ["Wh", "kWh", "MWh"],
  ["V", "mV", "kV"],
  ["A", "mA"],
  ["Cel", "K"],
  ["Pa", "kPa", "bar", "mbar"],
  ["L/min", "m3/h"],
  ["s", "min", "h"],
  ["%", "[ppm]"],
  ["Hz"],
  ["W/m2"],
];
export const DURATIONS: readonly (readonly [string, bigint])[] = [
  ["15s", 15_000_000_000n],
  ["2m30s", 150_000_000_000n],
  ["1.5m", 90_000_000_000n],
  ["100ms", 100_000_000n],
  ["1d", 86_400_000_000_000n],
  ["", 0n],
];

export function enumOf(random: Random, type: string): readonly (string | number)[] {
  if (type === "string") return ["low", "high", "1", "auto mode", "constructor"].slice(0, 1 + random.below(5));
  const step = type === "float" ? 0.5 : 1;
  return Array.from({ length: 1 + random.below(4) }, (_, index) => index * step - 1);
}

/** A default as it is written, and as a reader must read it. */
export function defaultOf(
  random: Random,
  type: string,
  values: readonly (string | number)[],
): { written: Value; read: unknown } | undefined {
  if (values.length > 0) {
    const value = random.pick(values);
    return { written: value, read: value };
  }
  switch (type) {
    case "boolean":
      return { written: true, read: true };
    case "string":
      return { written: "some text", read: "some text" };
    case "integer":
      return { written: 10, read: 10 };
    case "float": {
      const value = random.pick([10, 9.5]);
      return { written: value, read: value };
    }
    case "array_of_strings":
      return { written: '["a", "b"]', read: ["a", "b"] };
    default:
      return { written: '{"a": 1}', read: { a: 1 } };
  }
}
