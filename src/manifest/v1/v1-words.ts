// What device/1.0 calls things, and what device/3.0 calls the same. Only words of the same meaning stand here: whatever
// is not in a table stays as it is.
import type { Category } from "#core/blueprint/vocabulary.ts";

const UNITS: ReadonlyMap<string, string> = new Map(
  `volt|volts|v V
  kilovolt|kilovolts|kv kV
  millivolt|millivolts mV
  watt|watts|w W
  kwatt|kwatts|kilowatt|kilowatts|kw kW
  megawatt|megawatts MW
  amp|amps|ampere|amperes|a A
  milliamp|milliamps mA
  celsius|celsuis|°c|ºc|degc|c Cel
  fahrenheit|°f|ºf|degf [degF]
  kelvin K
  percent|percentage|pct %
  hertz|hz Hz
  watth|watthour|wh Wh
  kwatth|kwatthour|kwh kWh
  voltamp|va VA
  kvoltamp|kva kVA
  var|voltampreact VAR
  kvar|kvoltampreact kVAR
  amph|amphour|amphours|ah Ah
  hour|hours|hr|hrs h
  minute|minutes|mins min
  second|seconds|sec|secs s
  millisecond|milliseconds ms
  day|days d
  degree|degrees|°|º deg
  joule|joules J
  litre|litres|liter|liters L
  litreh|literh|litre/h L/h
  mm/sec mm/s
  m/sec m/s
  ohm|ohms|ω Ohm
  ppm [ppm]
  ppb [ppb]
  psi [psi]
  lux lx`
    .split("\n")
    .flatMap((row) => {
      const [words = "", unit = ""] = row.trim().split(" ");
      return words.split("|").map((word): [string, string] => [word, unit]);
    }),
);

/** The unit of the same meaning; undefined if the word is none of 1.0. */
export function unitOf(word: string): string | undefined {
  return UNITS.get(word.trim().toLowerCase());
}

/** Undefined: a person has to choose. */
export const CATEGORY_OF: ReadonlyMap<string, Category> = new Map([
  ["batteries", "battery-systems"],
  ["network_infrastructure", "networking"],
  ["cloud_services", "data-providers"],
  ["water_management", "water-treatment"],
  ["ev_chargers", "electric-vehicles"],
]);

/** The categories that a word of 1.0 may stand for, for the person who chooses. */
export const CATEGORY_CHOICES: ReadonlyMap<string, string> = new Map([
  ["renewable_energy_sources", "solar-generators or wind-generators"],
  ["switches", "power-distribution, control or loads"],
  ["communication_modules", "networking or control"],
  ["analog_io_modules", "sensors or control"],
  ["pumps", "loads or water-treatment"],
]);

export const COLOR_OF: ReadonlyMap<string, string> = new Map([
  ["#00ff00", "green"],
  ["#0f0", "green"],
  ["#ffff00", "yellow"],
  ["#ff0", "yellow"],
  ["#ff0000", "red"],
  ["#f00", "red"],
  ["#0000ff", "blue"],
  ["#00f", "blue"],
  ["#ffa500", "orange"],
  ["#00ffff", "cyan"],
  ["#800080", "purple"],
  ["#ffc0cb", "pink"],
]);

export const TYPE_OF: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["long", "integer"],
  ["bool", "boolean"],
  ["double", "float"],
  ["number", "float"],
  ["text", "string"],
  ["str", "string"],
]);

export const SEVERITY_OF: ReadonlyMap<string, string> = new Map([
  ["critical", "error"],
  ["fatal", "error"],
  ["alarm", "error"],
  ["err", "error"],
  ["warn", "warning"],
  ["notice", "info"],
  ["information", "info"],
]);

/** What a communication module offers, by the name of the product. */
export function requirementsOf(product: string): readonly string[] | undefined {
  const name = product.toUpperCase();
  if (/RS\d/.test(name)) return ["modbus"];
  if (/CAN/.test(name)) return ["can"];
  if (/RL\d/.test(name)) return ["relay"];
  if (/DI\d/.test(name)) return ["digitalin"];
  if (/AI\d/.test(name)) return ["analogin"];
  return /VIRTUAL|VUCM/.test(name) ? [] : undefined;
}
