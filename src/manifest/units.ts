import { nearestOf } from "#core/text/nearest.ts";

/** A unit as a number times base units; `offset` for units such as Cel that do not begin at zero. */
export interface ParsedUnit {
  readonly factor: number;
  readonly offset: number;
  readonly dimension: string;
}

const SMALL: ReadonlyMap<string, ParsedUnit> = new Map(
  [
    ["W", 1, "W"],
    ["kW", 1e3, "W"],
    ["MW", 1e6, "W"],
    ["Wh", 1, "Wh"],
    ["kWh", 1e3, "Wh"],
    ["MWh", 1e6, "Wh"],
    ["V", 1, "V"],
    ["A", 1, "A"],
    ["Hz", 1, "Hz"],
    ["%", 0.01, "1"],
    ["Cel", 1, "K"],
    ["C", 1, "C"],
    ["F", 1, "F"],
    ["bar", 1, "bar"],
    ["s", 1, "s"],
    ["ms", 1e-3, "s"],
  ].map(([code, factor, dimension]) => [
    String(code),
    { factor: Number(factor), offset: 0, dimension: String(dimension) },
  ]),
);

export function parseUnit(code: string): ParsedUnit | undefined {
  return SMALL.get(code);
}

export function isKnownUnit(code: string, custom?: { has(name: string): boolean }): boolean {
  return custom?.has(code) === true || parseUnit(code) !== undefined;
}

export function areCompatible(one: string, other: string): boolean {
  return one === other || parseUnit(one)?.dimension === parseUnit(other)?.dimension;
}

export function convert(value: number, from: string, to: string): number | undefined {
  const [a, b] = [parseUnit(from), parseUnit(to)];
  return a && b && a.dimension === b.dimension ? (value * a.factor) / b.factor : undefined;
}

/** The unit that was most likely meant. */
export function suggestUnit(code: string, custom: Iterable<string>): string | undefined {
  return nearestOf(code, [...custom, ...SMALL.keys()]);
}
