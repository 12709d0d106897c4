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
  ["psi", "[psi]"],
  ["mph", "[mi_i]/h"],
  ["kmh", "km/h"],
  ["kph", "km/h"],
  ["mps", "m/s"],
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

/**
 * Volumes and pressures at reference conditions (NL/h, Nm3, ln/min, slpm, barg), and horsepower, of which there are
 * several: a unit that looks alike means something else.
 */
const OF_ITS_OWN = /^(?:n[lm](?!\w*hg)|ln|s(?:l|cc|cf|m3|m³)|bar(?:\(?[ga])|hp\b|k?ps(?!i\b))/i;

export interface SuggestedUnit {
  readonly unit: string;
  /** The same unit, spelt as it should be. Otherwise only a guess, which no program should make for the author. */
  readonly isSame: boolean;
}

/** The unit that was most likely meant; undefined when there is no guess. */
export function suggestUnit(code: string, custom: Iterable<string>): SuggestedUnit | undefined {
  const word = OTHER_WORDS.get(code.toLowerCase().replaceAll(" ", ""));
  if (word !== undefined) return { unit: word, isSame: true };
  const respelt = respellUnit(code);
  if (respelt !== code && isKnownUnit(respelt)) return { unit: respelt, isSame: true };
  if (OF_ITS_OWN.test(code)) return undefined;
  const candidates = [...custom, ...COMMON];
  const folded = code.toLowerCase();
  // Short units differ by one letter anyway, so only a slip of case counts for them.
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === folded);
  // m is a thousandth and M a million: which of them was meant is a guess.
  if (sameLetters !== undefined) return { unit: sameLetters, isSame: !/^m/i.test(code) };
  const nearest = code.length < 5 ? undefined : nearestOf(code, candidates);
  return nearest === undefined ? undefined : { unit: nearest, isSame: false };
}

const POWERS: ReadonlyMap<string, string> = new Map([
  ["²", "2"],
  ["³", "3"],
  ["⁻¹", "-1"],
]);

/** Signs of the typeset form of a unit, and of programming languages, in those of UCUM. */
export function respellUnit(code: string): string {
  let text = code
    .replace(/\s+/g, "")
    .replace(/[µμ]/g, "u")
    .replace(/[·*×]/g, ".")
    .replace(/\^|\*\*/g, "")
    .replaceAll("Ω", "Ohm");
  for (const [sign, digits] of POWERS) text = text.replaceAll(sign, digits);
  return text.replace(/°C|degC/g, "Cel").replace(/\bper\b/g, "/");
}
