// What scripts of rules know of prices, and what they may expect of the sun and of the use of the site.
import type { Period } from "#core/energy/parse-period.ts";
import { createPriceBook } from "#core/energy/price-book.ts";
import { createRates } from "#core/energy/rates.ts";
import { versionsOf } from "#core/energy/tariff-versions.ts";
import { DAY_MS, QUARTER_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import { readKnownPrices } from "#service/energy/known-prices.ts";
import { type EnergyNeeds, readSiteEnergy, type SiteEnergy } from "#service/energy/read-site-energy.ts";
import type { Call } from "#service/ports.ts";
import {
  type AskedPrices,
  cheapestAsked,
  cheapestThen,
  isGiven,
  LONGEST_WINDOW_MS,
  momentAsked,
  momentOf,
  pricesThen,
} from "./price-answers.ts";
import { optionsAt, RuleProblem, windowOf } from "./rule-arguments.ts";
import type { RuleFunction } from "./rule-function.ts";

export type EnergyForRuleNeeds = EnergyNeeds;

/** A forecast looks at the same time on so many days before. */
const FORECAST_DAYS = 7;
const LEAST_FORECAST_DAYS = 3;
const MOST_FORECASTS = 1_000;
const MILLIWATT_HOURS = 1_000_000;

export function energyFunctions(needs: EnergyForRuleNeeds): Readonly<Record<string, RuleFunction>> {
  const forecasts = new Map<string, { readonly at: number; readonly answer: readonly unknown[] }>();

  /** The same question is answered from memory for a quarter of an hour. */
  async function forecast(call: Call, siteId: string, kind: "pv" | "load", args: readonly unknown[]) {
    const { from, to } = forecastWindow(args, needs.now());
    const key = JSON.stringify([siteId, kind, from, to]);
    const known = forecasts.get(key);
    if (known !== undefined && needs.now() - known.at < QUARTER_MS) return known.answer;
    const answer = await averageOf(needs, call, { siteId, kind, period: { from: instant(from), to: instant(to) } });
    forecasts.delete(key);
    forecasts.set(key, { at: needs.now(), answer });
    const [oldest] = forecasts.keys();
    if (forecasts.size > MOST_FORECASTS && oldest !== undefined) forecasts.delete(oldest);
    return answer;
  }

  return {
    async tariff_at(_call, args, { rule }) {
      const at = momentAsked(args, needs.now());
      return pricesThen(await pricesOf(needs, rule.siteId, { from: at, to: at + 1 }), at);
    },
    async tariff_cheapest(_call, args, { rule }) {
      const asked = cheapestAsked(args, needs.now());
      return cheapestThen(await pricesOf(needs, rule.siteId, asked), asked);
    },
    forecast_pv: (call, args, { rule }) => forecast(call, rule.siteId, "pv", args),
    forecast_load: (call, args, { rule }) => forecast(call, rule.siteId, "load", args),
  };
}

function forecastWindow(args: readonly unknown[], now: number) {
  const lengthMs = isGiven(args[0]) ? windowOf(args[0], "the duration") : 3_600_000;
  if (lengthMs > DAY_MS) throw new RuleProblem("a forecast is for at most 24h");
  const options = optionsAt(args, 1);
  const start = isGiven(options["from"]) ? momentOf(options["from"]) : now;
  if (Math.abs(start - now) > LONGEST_WINDOW_MS) throw new RuleProblem("a forecast begins within 7d");
  const from = Math.floor(start / QUARTER_MS) * QUARTER_MS;
  return { from, to: from + Math.max(1, Math.round(lengthMs / QUARTER_MS)) * QUARTER_MS };
}

async function pricesOf(
  needs: EnergyForRuleNeeds,
  siteId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<AskedPrices> {
  const timezone = (await needs.sites.find(siteId))?.timezone ?? "UTC";
  const known = await readKnownPrices(needs, { siteId, timezone, range: { from, to } });
  if (known === undefined) throw new RuleProblem("the site has no tariff");
  const { tariff, prices } = known;
  const rates = createRates({ versionAt: versionsOf(tariff, timezone), timezone, prices });
  return {
    currency: tariff.currency,
    priceAt: createPriceBook({ tariff, timezone, prices }),
    rateAt: (at) => rates("import", at)?.name ?? "",
  };
}

interface Expected {
  readonly siteId: string;
  readonly kind: "pv" | "load";
  readonly period: Period;
}

/** Kilowatt-hours, and of how many days they are the average. */
async function averageOf(needs: EnergyForRuleNeeds, call: Call, { siteId, kind, period }: Expected) {
  let [sum, days] = [0, 0];
  // The last one that is over.
  const first = Math.max(1, Math.ceil((period.to - needs.now()) / DAY_MS));
  for (let back = first; back < first + FORECAST_DAYS; back++) {
    const from = instant(period.from - back * DAY_MS);
    const to = instant(period.to - back * DAY_MS);
    const asked = { siteId, step: undefined, isBeforeAsked: false, areCostsAsked: false };
    const energy = await readSiteEnergy(needs, call, { ...asked, period: () => ({ kind: "range", from, to }) });
    const value = kind === "pv" ? energy.total.produced : energy.total.used;
    if (value === undefined || !isWhole(energy, kind)) continue;
    sum += value;
    days += 1;
  }
  if (days < LEAST_FORECAST_DAYS) return [null, `fewer than ${LEAST_FORECAST_DAYS} of the last days have values`];
  return [sum / days / MILLIWATT_HOURS, days];
}

/** Every device that counts has values in each hour. Without any such device nothing is known. */
function isWhole({ devices }: SiteEnergy, kind: "pv" | "load"): boolean {
  const counting = devices.filter(({ role }) => role === "production" || (kind === "load" && role !== "load"));
  return counting.length > 0 && counting.every(({ hours, hoursKnown }) => hoursKnown >= hours);
}
