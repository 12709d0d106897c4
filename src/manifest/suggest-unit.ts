import { nearestOf } from "#core/text/nearest.ts";
import { isKnownUnit } from "./units.ts";

/** What people write for a unit, in lower case, and what UCUM calls it. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["degc", "Cel"],
  ["°c", "Cel"],
  ["celsius", "Cel"],
  ["degf", "[degF]"],
  ["°f", "[degF]"],
  ["fahrenheit", "[degF]"],
  ["kelvin", "K"],
  ["°", "deg"],
  ["degree", "deg"],
  ["degrees", "deg"],
  ["ppm", "[ppm]"],
  ["ppb", "[ppb]"],
  ["percent", "%"],
  ["pct", "%"],
  ["%lel", "%{LEL}"],
  ["%vol", "%{vol}"],
  ["%rh", "%{RH}"],
  ["rpm", "1/min"],
  ["sec", "s"],
  ["secs", "s"],
  ["second", "s"],
  ["seconds", "s"],
  ["mins", "min"],
  ["minute", "min"],
  ["minutes", "min"],
  ["hr", "h"],
  ["hrs", "h"],
  ["hour", "h"],
  ["hours", "h"],
  ["day", "d"],
  ["days", "d"],
  ["month", "mo"],
  ["year", "a"],
  ["years", "a"],
  ["watt", "W"],
  ["watts", "W"],
  ["volt", "V"],
  ["volts", "V"],
  ["amp", "A"],
  ["amps", "A"],
  ["ampere", "A"],
  ["hertz", "Hz"],
  ["ohm", "Ohm"],
  ["ω", "Ohm"],
  ["litre", "L"],
  ["liter", "L"],
  ["lpm", "L/min"],
  ["slpm", "L/min"],
  ["psi", "[psi]"],
  ["barg", "bar"],
  ["bara", "bar"],
  ["bar(g)", "bar"],
  ["hp", "[HP]"],
  ["mph", "[mi_i]/h"],
  ["kmh", "km/h"],
  ["kph", "km/h"],
  ["mps", "m/s"],
  ["nm3", "m3"],
  ["nm3/h", "m3/h"],
  ["nl/h", "L/h"],
  ["nl/min", "L/min"],
  ["byte", "By"],
  ["bytes", "By"],
  ["mmhg", "mm[Hg]"],
  ["inch", "[in_i]"],
  ["feet", "[ft_i]"],
  ["ft", "[ft_i]"],
]);

/** Units of energy sites, among which the nearest one is looked for. */
const COMMON =
  "W kW MW GW Wh kWh MWh GWh VA kVA MVA VAh kVAh var kvar kvarh V mV kV A mA Ah kAh Hz kHz Ohm mOhm S uS/cm % Cel K bar mbar Pa hPa kPa MPa s ms us min h d L L/h L/min m3 m3/h kg g g/h kg/h kg/m3 m mm cm km m/s km/h m2 W/m2 kWh/m2 J kJ MJ N N.m deg 1/min lx By kBy MBy dB mm/h [ppm] [ppb] [degF] [psi]".split(
    " ",
  );

/** The unit that was most likely meant; undefined when there is no guess. */
export function suggestUnit(code: string, custom: Iterable<string>): string | undefined {
  const word = OTHER_WORDS.get(code.toLowerCase().replaceAll(" ", ""));
  if (word !== undefined) return word;
  const respelt = respell(code);
  if (respelt !== code && isKnownUnit(respelt)) return respelt;
  const candidates = [...custom, ...COMMON];
  const folded = code.toLowerCase();
  // Short units differ by one letter anyway, so only a slip of case counts for them.
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === folded);
  return sameLetters ?? (code.length < 5 ? undefined : nearestOf(code, candidates));
}

const POWERS: ReadonlyMap<string, string> = new Map([
  ["²", "2"],
  ["³", "3"],
  ["⁻¹", "-1"],
]);

/** Signs of the typeset form of a unit, and of programming languages, in those of UCUM. */
function respell(code: string): string {
  let text = code
    .replace(/\s+/g, "")
    .replace(/[µμ]/g, "u")
    .replace(/[·*×]/g, ".")
    .replace(/\^|\*\*/g, "")
    .replaceAll("Ω", "Ohm");
  for (const [sign, digits] of POWERS) text = text.replaceAll(sign, digits);
  return text.replace(/°C|degC/g, "Cel").replace(/\bper\b/g, "/");
}
