import { ENERGY_ATOMS, UCUM_ATOMS } from "./ucum-atoms.ts";

/**
 * Units of measure: UCUM with the energy units that it lacks. Everything is computed from a table on first use and kept,
 * so there is nothing to load, and a page in a browser can use it too.
 */
export interface ParsedUnit {
  /** A value times `factor` plus `offset` is the value in base units. */
  readonly factor: number;
  readonly offset: number;
  /** Base units with their exponents, in one order. Units of equal dimension can be converted into each other. */
  readonly dimension: string;
}

/** Undefined when the code is no unit. */
export function parseUnit(code: string): ParsedUnit | undefined {
  if (PARSED.has(code)) return PARSED.get(code);
  const quantity = code.length > LONGEST_CODE ? undefined : readUnit(code);
  const unit = quantity && { factor: quantity.factor, offset: quantity.offset, dimension: dimensionOf(quantity) };
  if (PARSED.size >= MOST_PARSED) PARSED.clear();
  PARSED.set(code, unit);
  return unit;
}

/** `custom` are the units that a manifest declares itself. */
export function isKnownUnit(code: string, custom?: { has(name: string): boolean }): boolean {
  return custom?.has(code) === true || parseUnit(code) !== undefined;
}

/** Whether a value in one unit can be shown in the other. A custom unit fits only itself. */
export function areCompatible(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parseUnit(one), parseUnit(other)];
  return a !== undefined && b !== undefined && a.dimension === b.dimension;
}

/** Undefined when the units do not fit each other. */
export function convert(value: number, from: string, to: string): number | undefined {
  if (from === to) return value;
  const [a, b] = [parseUnit(from), parseUnit(to)];
  if (a === undefined || b === undefined || a.dimension !== b.dimension) return undefined;
  if (a.offset === 0 && b.offset === 0) return tidy(value * (a.factor / b.factor));
  return tidy((value * a.factor + a.offset - b.offset) / b.factor);
}

/** A double carries 15 decimal digits; what a chain of factors leaves behind them is noise. */
const tidy = (value: number): number => Number(value.toPrecision(15));

const LONGEST_CODE = 64;
/** The table of parsed codes is emptied when it is full: codes come from documents. */
const MOST_PARSED = 2_000;
const PARSED = new Map<string, ParsedUnit | undefined>();

interface Quantity {
  readonly factor: number;
  readonly offset: number;
  readonly exponents: ReadonlyMap<string, number>;
}

interface Atom {
  readonly takesPrefix: boolean;
  /** In terms of other units; read when it is first needed. */
  readonly definition: string;
}

const BASE_UNITS = ["m", "s", "g", "rad", "K", "C", "cd"];
const ONE: Quantity = { factor: 1, offset: 0, exponents: new Map() };

/** Scales that do not begin at zero: in K, as factor and offset. */
const TEMPERATURES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["Cel", [1, 273.15]],
  ["[degF]", [5 / 9, 459.67 * (5 / 9)]],
  ["[degRe]", [1.25, 273.15]],
]);

const PREFIXES: ReadonlyMap<string, number> = new Map([
  ["Q", 1e30],
  ["R", 1e27],
  ["Y", 1e24],
  ["Z", 1e21],
  ["E", 1e18],
  ["P", 1e15],
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["k", 1e3],
  ["h", 100],
  ["da", 10],
  ["d", 0.1],
  ["c", 0.01],
  ["m", 1e-3],
  ["u", 1e-6],
  ["n", 1e-9],
  ["p", 1e-12],
  ["f", 1e-15],
  ["a", 1e-18],
  ["z", 1e-21],
  ["y", 1e-24],
  ["r", 1e-27],
  ["q", 1e-30],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
]);

let atoms: ReadonlyMap<string, Atom> | undefined;
const quantities = new Map<string, Quantity>();

function atomTable(): ReadonlyMap<string, Atom> {
  if (atoms) return atoms;
  const table = new Map<string, Atom>();
  for (const row of `${UCUM_ATOMS};${ENERGY_ATOMS}`.split(/[;\n]/)) {
    const entry = row.trim();
    const end = entry.indexOf(" ");
    const code = end < 0 ? entry : entry.slice(0, end);
    const takesPrefix = code.length > 1 && code.endsWith("*") && code !== "10*";
    const definition = end < 0 ? "" : entry.slice(end + 1);
    if (code !== "") table.set(takesPrefix ? code.slice(0, -1) : code, { takesPrefix, definition });
  }
  atoms = table;
  return table;
}

/** `/` at the front, then components joined by `.` and `/`, from left to right. */
function readUnit(code: string): Quantity | undefined {
  const reader = { code, at: 0 };
  const quantity = readTerm(reader);
  return reader.at === code.length && code !== "" ? quantity : undefined;
}

interface Reader {
  readonly code: string;
  at: number;
}

function readTerm(reader: Reader): Quantity | undefined {
  let total: Quantity | undefined = reader.code[reader.at] === "/" ? ONE : readComponent(reader);
  while (total !== undefined && (reader.code[reader.at] === "." || reader.code[reader.at] === "/")) {
    const sign = reader.code[reader.at] === "." ? 1 : -1;
    reader.at += 1;
    const next = readComponent(reader);
    total = next && times(total, next, sign);
  }
  return total;
}

const ANNOTATION = /\{[\x20-\x7a\x7c\x7e]*\}/y;
const FACTOR = /\d+/y;
const EXPONENT = /[+-]?\d{1,2}/y;
/** Everything up to an operator, with brackets kept whole: they may hold any character. */
const SYMBOL = /(?:\[[^\]]*\]|[^\s./(){}[\]+\-\d]|\d+[*^])+(?:_\d+)?/y;

function readComponent(reader: Reader): Quantity | undefined {
  if (reader.code[reader.at] === "(") {
    reader.at += 1;
    const inner = readTerm(reader);
    if (inner === undefined || reader.code[reader.at] !== ")") return undefined;
    reader.at += 1;
    take(reader, ANNOTATION);
    return inner;
  }
  if (take(reader, ANNOTATION) !== undefined) return ONE;
  const symbol = take(reader, SYMBOL);
  if (symbol === undefined) {
    const factor = take(reader, FACTOR);
    take(reader, ANNOTATION);
    return factor === undefined ? undefined : { ...ONE, factor: Number(factor) };
  }
  const unit = readSymbol(symbol);
  const exponent = take(reader, EXPONENT);
  take(reader, ANNOTATION);
  return unit && (exponent === undefined ? unit : power(unit, Number(exponent)));
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.code)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

/** A unit by its own name, otherwise a prefix and a unit that accepts one. */
function readSymbol(symbol: string): Quantity | undefined {
  const whole = quantityOf(symbol);
  if (whole) return whole;
  for (const length of [2, 1]) {
    const scale = PREFIXES.get(symbol.slice(0, length));
    const rest = symbol.slice(length);
    if (scale === undefined || !takesPrefix(rest)) continue;
    const unit = quantityOf(rest);
    return unit && { ...unit, factor: unit.factor * scale };
  }
  return undefined;
}

function takesPrefix(code: string): boolean {
  return BASE_UNITS.includes(code) || code === "Cel" || atomTable().get(code)?.takesPrefix === true;
}

function quantityOf(code: string): Quantity | undefined {
  const known = quantities.get(code);
  if (known) return known;
  const quantity = defineQuantity(code);
  if (quantity) quantities.set(code, quantity);
  return quantity;
}

function defineQuantity(code: string): Quantity | undefined {
  if (BASE_UNITS.includes(code)) return { ...ONE, exponents: new Map([[code, 1]]) };
  const temperature = TEMPERATURES.get(code);
  if (temperature) return { factor: temperature[0], offset: temperature[1], exponents: new Map([["K", 1]]) };
  const definition = atomTable().get(code)?.definition;
  if (definition === undefined) return undefined;
  if (definition === "!") return { ...ONE, exponents: new Map([[code, 1]]) };
  const [first = "", second] = definition.split(" ");
  const unit = readUnit(second ?? first);
  return unit && (second === undefined ? unit : { ...unit, factor: unit.factor * Number(first) });
}

/** A scale that does not begin at zero loses its offset in a product: a change of 1 Cel/h is one of 1 K/h. */
function times(one: Quantity, other: Quantity, sign: 1 | -1): Quantity {
  const exponents = new Map(one.exponents);
  for (const [base, exponent] of other.exponents) exponents.set(base, (exponents.get(base) ?? 0) + sign * exponent);
  return { factor: sign === 1 ? one.factor * other.factor : one.factor / other.factor, offset: 0, exponents };
}

function power(unit: Quantity, exponent: number): Quantity {
  const exponents = new Map([...unit.exponents].map(([base, old]) => [base, old * exponent]));
  return { factor: unit.factor ** exponent, offset: exponent === 1 ? unit.offset : 0, exponents };
}

function dimensionOf({ exponents }: Quantity): string {
  return [...exponents]
    .filter(([, exponent]) => exponent !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([base, exponent]) => `${base}${exponent}`)
    .join(" ");
}
