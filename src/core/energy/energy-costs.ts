// What the energy of a site costs, quarter of an hour by quarter of an hour. Every amount is rounded once, in its quarter,
// and whole numbers are added: so steps add up to the whole, whatever the steps are.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { amountOf } from "./money.ts";
import type { Period } from "./parse-period.ts";
import { PRICE_KINDS, type PriceDays, type PriceKind, priceAt } from "./price-days.ts";
import type { QuarterCells } from "./quarter-cells.ts";
import { createRates, type Rates } from "./rates.ts";
import type { TariffVersion } from "./tariff.ts";

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

export interface Priced extends Rates {
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
  const rates = { import: new Map<string, WritableRate>(), export: new Map<string, WritableRate>() };
  const rateAt = createRates(priced);
  for (const kind of ["import", "export"] as const) {
    eachCell(priced[kind], steps, (start, energy, step) => {
      const rate = energy === 0 ? FREE : rateAt(kind, start);
      const amount = rate === undefined ? undefined : amountOf(energy, rate.price);
      const own = itemAt(sums, step);
      add(own[kind], energy, amount);
      if (rate !== undefined && rate !== FREE && amount !== undefined) {
        let known = rates[kind].get(rate.name);
        if (known === undefined) {
          known = { kind, name: rate.name, energy: 0, amount: 0 };
          rates[kind].set(rate.name, known);
        }
        known.energy += energy;
        known.amount += amount;
      }
      if (kind === "export") return;
      const grams = energy === 0 ? 0 : co2At(priced, start);
      add(own.co2, energy, grams === undefined ? undefined : amountOf(energy, grams));
    });
  }
  const byRate = [...rates.import.values(), ...rates.export.values()];
  return { steps: sums.map(costsOfSums), whole: costsOfSums(totalOf(sums)), byRate };
}

type WritableRate = { -readonly [Key in keyof RateCosts]: RateCosts[Key] };

function totalOf(all: readonly Sums[]): Sums {
  const total = emptySums();
  for (const sums of all) {
    for (const kind of PRICE_KINDS) {
      const [into, from] = [total[kind], sums[kind]];
      into.cells += from.cells;
      into.priced += from.priced;
      into.amount += from.amount;
      into.unpriced += from.unpriced;
    }
  }
  return total;
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
  if (steps.length === 0) return;
  let step = 0;
  let end: number = itemAt(steps, 0).to;
  for (let n = 0; n < starts.length; n++) {
    const start = starts[n] ?? 0;
    while (start >= end && step < steps.length - 1) end = itemAt(steps, ++step).to;
    use(start, amounts[n] ?? 0, step);
  }
}

function co2At({ versionAt, prices }: Priced, at: number): number | undefined {
  const co2: TariffVersion["co2"] = versionAt(at)?.co2;
  if (co2 === undefined) return undefined;
  return co2.type === "fixed" ? co2.grams : priceAt(prices.co2, at);
}
