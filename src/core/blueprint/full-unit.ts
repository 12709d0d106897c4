// Units as full codes: what people in the energy field write is spelt out in UCUM, so that every program that reads UCUM
// reads it. The meaning stays the same, and so does the number in front of it.

/** Each of them is a product of UCUM units. What UCUM does not distinguish is an annotation, which it ignores. */
export const FULL_ENERGY_UNITS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["Wh", ["W", "h"]],
  ["Wp", ["W{peak}"]],
  ["VA", ["V", "A"]],
  ["VAh", ["V", "A", "h"]],
  ["Ah", ["A", "h"]],
  ...["var", "VAr", "VAR"].map((name) => [name, ["V", "A{reactive}"]] as const),
  ...["varh", "VArh", "VARh"].map((name) => [name, ["V", "A{reactive}", "h"]] as const),
]);

const ENERGY_UNIT = new RegExp(
  `^(da|Ki|Mi|Gi|Ti|[QRYZEPTGMkhdcmunpfazyrq])?(${[...FULL_ENERGY_UNITS.keys()].join("|")})([+-]?\\d+)?$`,
);
/** Operators, annotations and simple units; a name in square brackets may contain anything. */
const TOKENS = /[./()]|\{[^{}]*\}|(?:\[[^[\]]*\]|[^./()[\]{}])+/g;

/** `kWh/d` is `kW.h/d`. Everything else is given back as it is. */
export function fullUnit(code: string): string {
  let full = "";
  let before = "";
  for (const [token] of code.matchAll(TOKENS)) {
    const [, prefix = "", name = "", exponent = ""] = ENERGY_UNIT.exec(token) ?? [];
    const parts = FULL_ENERGY_UNITS.get(name)?.map((part) => part.replace(/^[A-Za-z]+/, (atom) => atom + exponent));
    const product = parts === undefined ? token : `${prefix}${parts.join(".")}`;
    // UCUM reads from left to right, so a divisor of several units needs its parentheses.
    full += before === "/" && parts !== undefined && parts.length > 1 ? `(${product})` : product;
    before = token;
  }
  return full;
}
