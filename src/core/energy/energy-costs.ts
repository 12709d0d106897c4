// What the energy of a site costs, quarter of an hour by quarter of an hour. Every amount is rounded once, in its quarter,
// and whole numbers are added: so steps add up to the whole, whatever the steps are.
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { QUARTER_MS } from "./energy-steps.ts";
import { amountOf } from "./money.ts";
import type { Period } from "./parse-period.ts";
import { type PriceDays, type PriceKind, priceAt } from "./price-days.ts";
import type { QuarterCells } from "./quarter-cells.ts";
import { type PriceRule, QUARTERS_OF_DAY, type TariffVersion, tablePlace } from "./tariff.ts";
import type { VersionAt } from "./tariff-versions.ts";

/** Millionths, and whole milliwatt-hours. Undefined: no energy is known, or none of it has a price. */
export interface EnergyCosts {
  readonly import: number | undefined;
  readonly export: number | undefined;
  /** Import less export, as far as they are known. */
  readonly net: number | undefined;
  readonly co2: number | undefined;
  /** Energy without a price, or without a factor of CO2. */
  readonly unpriced: Readonly<Record<PriceKind, number>>;
}

export interface RateCosts {
  readonly kind: "import" | "export";
  readonly name: string;
  readonly energy: number;
  readonly amount: number;
}

export interface Priced {
  readonly versionAt: VersionAt;
  readonly timezone: string;
  readonly prices: Readonly<Record<PriceKind, PriceDays>>;
  /** Energy from the grid and to it. */
  readonly import: QuarterCells;
  readonly export: QuarterCells;
}

interface Sum {
  cells: number;
  priced: number;
  amount: number;
  unpriced: number;
}
type Sums = Readonly<Record<PriceKind, Sum>>;

const emptySum = (): Sum => ({ cells: 0, priced: 0, amount: 0, unpriced: 0 });
const emptySums = (): Sums => ({ import: emptySum(), export: emptySum(), co2: emptySum() });

/** The costs of steps that follow each other, of all of them, and by rate. */
export function costsOf(
  priced: Priced,
  steps: readonly Period[],
): { readonly steps: readonly EnergyCosts[]; readonly whole: EnergyCosts; readonly byRate: readonly RateCosts[] } {
  const sums = steps.map(emptySums);
  const whole = emptySums();
  const rates = new Map<string, { -readonly [Key in keyof RateCosts]: RateCosts[Key] }>();
  const rateAt = createRates(priced);
  for (const kind of ["import", "export"] as const) {
    eachCell(priced[kind], steps, (start, energy, step) => {
      const rate = energy === 0 ? FREE : rateAt(kind, start);
      const amount = rate === undefined ? undefined : amountOf(energy, rate.price);
      for (const one of [sums[step], whole]) if (one !== undefined) add(one[kind], energy, amount);
      if (rate !== undefined && rate !== FREE && amount !== undefined) {
        const key = `${kind} ${rate.name}`;
        const known = rates.get(key) ?? { kind, name: rate.name, energy: 0, amount: 0 };
        known.energy += energy;
        known.amount += amount;
        rates.set(key, known);
      }
      if (kind === "export") return;
      const grams = energy === 0 ? 0 : co2At(priced, start);
      const emitted = grams === undefined ? undefined : amountOf(energy, grams);
      for (const one of [sums[step], whole]) if (one !== undefined) add(one.co2, energy, emitted);
    });
  }
  return { steps: sums.map(costsOfSums), whole: costsOfSums(whole), byRate: [...rates.values()] };
}

/** What is zero costs nothing, whether or not there is a price. */
const FREE = { name: "", price: 0 };

function add(sum: Sum, energy: number, amount: number | undefined): void {
  sum.cells++;
  if (amount === undefined) sum.unpriced += energy;
  else {
    if (energy > 0) sum.priced++;
    sum.amount += amount;
  }
}

function costsOfSums(sums: Sums): EnergyCosts {
  const shown = ({ cells, priced, amount, unpriced }: Sum) =>
    cells === 0 || (priced === 0 && unpriced > 0) ? undefined : amount;
  const [paid, earned] = [shown(sums.import), shown(sums.export)];
  return {
    import: paid,
    export: earned,
    net: paid === undefined && earned === undefined ? undefined : (paid ?? 0) - (earned ?? 0),
    co2: shown(sums.co2),
    unpriced: { import: sums.import.unpriced, export: sums.export.unpriced, co2: sums.co2.unpriced },
  };
}

/** With the place of the step that each quarter belongs to. */
function eachCell(
  { starts, amounts }: QuarterCells,
  steps: readonly Period[],
  use: (start: number, energy: number, step: number) => void,
): void {
  let step = 0;
  let end = steps[0]?.to ?? Number.POSITIVE_INFINITY;
  for (const [n, energy] of amounts.entries()) {
    const start = starts[n] ?? Number.NaN;
    while (start >= end && step < steps.length - 1) end = steps[++step]?.to ?? Number.POSITIVE_INFINITY;
    use(start, energy, step);
  }
}

function createRates({ versionAt, timezone, prices }: Priced) {
  const offsetAt = localOffsets(timezone);
  return (kind: "import" | "export", at: number): { readonly name: string; readonly price: number } | undefined => {
    const rule = versionAt(at)?.[kind];
    if (rule === undefined) return undefined;
    if (rule.type === "fixed") return rule.rate;
    if (rule.type === "time_of_use") return rateInForce(rule, at + offsetAt(at));
    const stored = priceAt(prices[kind], at);
    return stored === undefined ? undefined : { name: rule.name, price: withSurcharge(rule, stored) };
  };
}

/** (price + add) * factor, rounded to a millionth. */
export function withSurcharge({ add, factor }: Extract<PriceRule, { type: "prices" }>, price: number): number {
  return Math.round((price + add) * factor) + 0;
}

function rateInForce({ rates, table }: Extract<PriceRule, { type: "time_of_use" }>, local: number) {
  const date = new Date(local);
  const quarter = Math.floor(local / QUARTER_MS) - Math.floor(local / DAY_MS) * QUARTERS_OF_DAY;
  // getUTCDay counts from Sunday.
  return rates[table[tablePlace(date.getUTCMonth(), (date.getUTCDay() + 6) % 7, quarter)] ?? rates.length];
}

function co2At({ versionAt, prices }: Priced, at: number): number | undefined {
  const co2: TariffVersion["co2"] = versionAt(at)?.co2;
  if (co2 === undefined) return undefined;
  return co2.type === "fixed" ? co2.grams : priceAt(prices.co2, at);
}
