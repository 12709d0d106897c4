// What kind of quantity a number measures, by its unit, or by its name if it has no known unit.
import { hasWord } from "./words.ts";

/** A value times `factor` plus `offset` is the value in base units; units of equal dimension measure the same. */
interface Unit {
  readonly factor: number;
  readonly offset: number;
  readonly dimension: string;
}

/** Undefined for a code that is no unit. */
export type ReadUnit = (code: string) => Unit | undefined;

/** Each with the unit in which models compute. */
const REFERENCES = {
  power: "W",
  energy: "kWh",
  voltage: "V",
  current: "A",
  charge: "A.h",
  frequency: "Hz",
  temperature: "Cel",
  ratio: "%",
  pressure: "bar",
  flow: "m3/h",
  massFlow: "kg/h",
  speed: "m/s",
  angle: "deg",
  time: "s",
  irradiance: "W/m2",
  resistance: "kOhm",
  conductivity: "uS/cm",
  volume: "m3",
  mass: "kg",
  length: "m",
} as const;

export type Quantity = keyof typeof REFERENCES | "number";

/** Words that give the quantity of a number without a unit; the first match counts. */
const BY_NAME: readonly (readonly [Quantity, string])[] = [
  ["number", "factor cost price"],
  ["ratio", "soc soh percent percentage humidity efficiency rate level utilization utilisation duty"],
  ["temperature", "temperature temp"],
  ["voltage", "voltage volts"],
  ["energy", "energy yield kwh"],
  ["power", "power watts"],
  ["current", "current amps"],
  ["frequency", "frequency"],
  ["pressure", "pressure"],
  ["irradiance", "irradiance"],
  ["flow", "flow"],
  ["time", "duration uptime runtime seconds"],
];

export interface Measure {
  readonly quantity: Quantity;
  /** From the unit of the models to the declared one. */
  readonly convert: (value: number) => number;
}

const asIs = (value: number) => value;

export function measureOf(
  readUnit: ReadUnit,
  { words, unit: code }: { readonly words: readonly string[]; readonly unit: string | undefined },
): Measure {
  const unit = code === undefined ? undefined : readUnit(code);
  if (unit === undefined) {
    const [named = "number"] = BY_NAME.find(([, list]) => hasWord(words, list)) ?? [];
    return { quantity: named, convert: asIs };
  }
  for (const [quantity, reference] of Object.entries(REFERENCES) as [keyof typeof REFERENCES, string][]) {
    const known = readUnit(reference);
    if (known === undefined || known.dimension !== unit.dimension) continue;
    if (known.factor === unit.factor && known.offset === unit.offset) return { quantity, convert: asIs };
    const scale = known.factor / unit.factor;
    const shift = (known.offset - unit.offset) / unit.factor;
    return { quantity, convert: (value) => value * scale + shift };
  }
  return { quantity: "number", convert: asIs };
}
