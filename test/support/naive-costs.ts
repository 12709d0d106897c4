// What energies cost, worked out the long way: quarter of an hour by quarter of an hour, with exact whole numbers, and the
// local time of each quarter from the calendar of the JavaScript engine. It shares no code with the service.

interface NaiveRate {
  readonly name: string;
  readonly price: number;
  readonly weekdays?: readonly string[];
  readonly months?: readonly number[];
  readonly from?: string;
  readonly to?: string;
}

export interface NaiveRule {
  readonly type: "fixed" | "time_of_use" | "prices";
  readonly price?: number;
  readonly rates?: readonly NaiveRate[];
  readonly default?: { readonly name?: string; readonly price: number };
  readonly add?: number;
  readonly factor?: number;
}

export interface NaiveVersion {
  readonly valid_from?: string;
  readonly import?: NaiveRule;
  readonly export?: NaiveRule;
  readonly base?: { readonly amount: number; readonly per: "day" | "month" | "year" };
  readonly peak?: { readonly amount: number; readonly per: "month" | "year" };
  readonly co2?: { readonly type: "fixed" | "series"; readonly grams?: number };
}

/** A quarter of an hour. Energies in mWh; undefined: not known. */
export interface Quarter {
  readonly at: number;
  readonly local: Local;
  readonly imported: number | undefined;
  readonly exported: number | undefined;
  /** W */
  readonly power: number | undefined;
}

export interface Local {
  /** 2026-03-29 */
  readonly date: string;
  readonly hour: number;
  readonly minute: number;
  /** Minutes from UTC. */
  readonly offset: number;
}

export interface NaiveTariff {
  readonly versions: readonly NaiveVersion[];
  /** Prices of a kind by the start of the quarter. */
  readonly prices: Readonly<Record<"import" | "export" | "co2", ReadonlyMap<number, number>>>;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function localTime(at: number, timeZone: string): Local {
  const known = formats.get(timeZone);
  const format =
    known ??
    new Intl.DateTimeFormat("en-CA", {
      ...{ timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit" },
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const date = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
  const [hour, minute] = [Number(parts.get("hour")), Number(parts.get("minute"))];
  return { date, hour, minute, offset: (Date.parse(`${date}T00:00:00Z`) - at) / 60_000 + hour * 60 + minute };
}

export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const weekdayOf = (date: string) => WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? "";

/** Half away from zero. */
function divide(value: bigint, by: bigint): number {
  const positive = value < 0n ? -value : value;
  const rounded = (positive * 2n + by) / (by * 2n);
  return Number(value < 0n ? -rounded : rounded);
}

const micro = (amount: number) => BigInt(Math.round(amount * 1e6));

function versionAt({ versions }: NaiveTariff, date: string): NaiveVersion | undefined {
  return versions.findLast(({ valid_from }) => valid_from === undefined || valid_from <= date);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function isInForce(rate: NaiveRate, { date, hour, minute }: Local): boolean {
  if (rate.weekdays !== undefined && !rate.weekdays.includes(weekdayOf(date))) return false;
  if (rate.months !== undefined && !rate.months.includes(Number(date.slice(5, 7)))) return false;
  const [now, from, to] = [hour * 60 + minute, minutesOf(rate.from ?? "00:00"), minutesOf(rate.to ?? "24:00")];
  return from < to ? now >= from && now < to : now >= from || now < to;
}

/** Millionths for a kWh. */
function priceOf(tariff: NaiveTariff, kind: "import" | "export", { at, local }: Quarter): bigint | undefined {
  const rule = versionAt(tariff, local.date)?.[kind];
  if (rule === undefined) return undefined;
  if (rule.type === "fixed") return micro(rule.price ?? Number.NaN);
  if (rule.type === "time_of_use") {
    const rate = rule.rates?.find((one) => isInForce(one, local)) ?? rule.default;
    return micro(rate?.price ?? Number.NaN);
  }
  const stored = tariff.prices[kind].get(at);
  if (stored === undefined) return undefined;
  return BigInt(Math.round((Number(micro(stored)) + Number(micro(rule.add ?? 0))) * (rule.factor ?? 1)));
}

function co2Of(tariff: NaiveTariff, { at, local }: Quarter): bigint | undefined {
  const co2 = versionAt(tariff, local.date)?.co2;
  const grams = co2?.type === "series" ? tariff.prices.co2.get(at) : co2?.grams;
  return grams === undefined ? undefined : micro(grams);
}

/** Amounts in the unit of the interface; null where nothing is known or nothing has a price. */
export function costsNaively(tariff: NaiveTariff, quarters: readonly Quarter[]) {
  const sum = (energyOf: (quarter: Quarter) => number | undefined, price: (quarter: Quarter) => bigint | undefined) => {
    let [amount, unpriced, isKnown, isPriced] = [0, 0, false, false];
    for (const quarter of quarters) {
      const energy = energyOf(quarter);
      if (energy === undefined) continue;
      isKnown = true;
      const own = price(quarter);
      if (own === undefined) unpriced += energy;
      else {
        amount += divide(BigInt(energy) * own, 1_000_000n);
        if (energy > 0) isPriced = true;
      }
    }
    return { amount: !isKnown || (unpriced > 0 && !isPriced) ? null : amount / 1e6, unpriced: unpriced / 1_000 };
  };
  const paid = sum(
    ({ imported }) => imported,
    (quarter) => priceOf(tariff, "import", quarter),
  );
  const earned = sum(
    ({ exported }) => exported,
    (quarter) => priceOf(tariff, "export", quarter),
  );
  const co2 = sum(
    ({ imported }) => imported,
    (quarter) => co2Of(tariff, quarter),
  );
  const net = (Math.round((paid.amount ?? 0) * 1e6) - Math.round((earned.amount ?? 0) * 1e6)) / 1e6;
  return {
    import: paid.amount,
    export: earned.amount,
    net: paid.amount === null && earned.amount === null ? null : net,
    co2: co2.amount,
    unpriced_energy: { import: paid.unpriced, export: earned.unpriced, co2: co2.unpriced },
  };
}

/** The days that begin in the period, each with its part of the month or year. */
export function baseNaively(tariff: NaiveTariff, dates: readonly string[]): number | null {
  let [sum, known] = [0, 0];
  for (const date of dates) {
    const version = versionAt(tariff, date);
    if (version === undefined) continue;
    known++;
    if (version.base === undefined) continue;
    const { amount, per } = version.base;
    const first = per === "day" ? date : per === "month" ? `${date.slice(0, 7)}-01` : `${date.slice(0, 4)}-01-01`;
    const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;
    const next = new Date(first);
    if (per === "month") next.setUTCMonth(next.getUTCMonth() + 1);
    else if (per === "year") next.setUTCFullYear(next.getUTCFullYear() + 1);
    else next.setUTCDate(next.getUTCDate() + 1);
    const [day, all] = [days(first, date), days(first, next.toISOString())];
    const upTo = (n: number) => divide(micro(amount) * BigInt(n), BigInt(all));
    sum += upTo(day + 1) - upTo(day);
  }
  return dates.length > 0 && known === 0 ? null : sum / 1e6;
}

/** The charges of whole months, or of the whole year, by the version at their end. */
export function peakNaively(tariff: NaiveTariff, quarters: readonly Quarter[], unit: "month" | "year"): number {
  const spans = Map.groupBy(quarters, ({ local }) => local.date.slice(0, unit === "month" ? 7 : 4));
  let sum = 0;
  for (const own of spans.values()) {
    const charge = versionAt(tariff, own.at(-1)?.local.date ?? "")?.peak;
    if (charge?.per !== unit) continue;
    const powers = own.flatMap(({ power }) => power ?? []);
    if (powers.length > 0)
      sum += divide(BigInt(Math.max(0, Math.round(Math.max(...powers)))) * micro(charge.amount), 1_000n);
  }
  return sum / 1e6;
}
