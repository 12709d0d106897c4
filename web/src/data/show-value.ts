// How a value of a device is written: enum names, units, scale. Pure.
import { convert } from "#manifest/units.ts";
import { formatNumber } from "#web/i18n/format.ts";
import type { EnumValue, Field } from "./manifest.ts";
import type { Locale } from "./preferences.svelte.ts";

export type ShownValue = {
  readonly text: string;
  readonly unit: string | undefined;
  /** What the manifest says about this value of an enum. */
  readonly meaning: EnumValue | undefined;
};

type Describing = Pick<Field, "unit" | "enum"> & { readonly autoScale?: readonly string[] };
type Context = {
  readonly locale: Locale /** Symbols of the manifest's own units. */;
  readonly units: ReadonlyMap<string, string>;
};

export function showValue(value: unknown, field: Describing | undefined, { locale, units }: Context): ShownValue {
  const meaning = field?.enum?.find((one) => one.value === value);
  const unit = field?.unit;
  if (meaning !== undefined) return { text: meaning.displayName, unit: unitSymbol(unit, units), meaning };
  if (typeof value === "number") {
    const scaled = scaleValue(value, unit, field?.autoScale ?? []);
    return { text: formatNumber(scaled.value, locale), unit: unitSymbol(scaled.unit, units), meaning };
  }
  if (typeof value === "boolean") return { text: BOOLEANS[locale][value ? 1 : 0], unit: undefined, meaning };
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    const names = value.map((one) => field?.enum?.find((known) => known.value === one)?.displayName ?? String(one));
    return { text: names.length === 0 ? NONE[locale] : names.join(", "), unit: undefined, meaning };
  }
  if (typeof value === "object" && value !== null) return { text: JSON.stringify(value), unit: undefined, meaning };
  return { text: String(value), unit: unitSymbol(unit, units), meaning };
}

const BOOLEANS: Readonly<Record<Locale, readonly [string, string]>> = { en: ["no", "yes"], de: ["nein", "ja"] };
const NONE: Readonly<Record<Locale, string>> = { en: "none", de: "keine" };

/** The value in the largest unit of the list in which it is at least one; otherwise in the smallest. */
export function scaleValue(
  value: number,
  unit: string | undefined,
  scale: readonly string[],
): { readonly value: number; readonly unit: string | undefined } {
  if (unit === undefined || scale.length === 0 || !Number.isFinite(value)) return { value, unit };
  const candidates = scale
    .flatMap((other) => {
      const converted = convert(value, unit, other);
      return converted === undefined ? [] : [{ value: converted, unit: other }];
    })
    .sort((a, b) => Math.abs(a.value) - Math.abs(b.value));
  // Nothing has no size: it keeps the unit that the manifest gives.
  if (value === 0) return { value, unit };
  return candidates.find((one) => Math.abs(one.value) >= 1) ?? candidates.at(-1) ?? { value, unit };
}

const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ["Cel", "°C"],
  ["[degF]", "°F"],
  ["deg", "°"],
  ["[ppm]", "ppm"],
  ["A.h", "Ah"],
  ["L", "l"],
  ["1", ""],
]);

const SUPERSCRIPTS: Readonly<Record<string, string>> = { "-": "⁻", "1": "¹", "2": "²", "3": "³", "4": "⁴" };

/** A code of UCUM as people write it: `m3/h` is m³/h, `kOhm` is kΩ. */
export function unitSymbol(code: string | undefined, own: ReadonlyMap<string, string> = new Map()): string | undefined {
  if (code === undefined) return undefined;
  const known = own.get(code) ?? SYMBOLS.get(code);
  if (known !== undefined) return known === "" ? undefined : known;
  return code
    .replaceAll("V.A{reactive}", "var")
    .replaceAll("W{peak}", "Wp")
    .replaceAll("V.A", "VA")
    .replaceAll(/(W|VA|var|A)\.h\b/g, "$1h")
    .replaceAll("Ohm", "Ω")
    .replaceAll(/\bu(?=[A-Za-z])/g, "µ")
    .replaceAll("Cel", "°C")
    .replaceAll(/(?<=[A-Za-z])-?[1-4]\b/g, (power) => [...power].map((sign) => SUPERSCRIPTS[sign] ?? sign).join(""))
    .replaceAll(".", "·");
}
