// The costs of the energies of a site, by its tariff and its stored prices.
import { refuse } from "#core/app-error.ts";
import type { EnergyCosts } from "#core/energy/energy-costs.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { dayOf, PRICE_KINDS, type PriceDays, type PriceKind } from "#core/energy/price-days.ts";
import { mergeCells, type QuarterCells } from "#core/energy/quarter-cells.ts";
import { type SiteCosts, siteCosts } from "#core/energy/site-costs.ts";
import type { Tariff } from "#core/energy/tariff.ts";
import { versionsOf } from "#core/energy/tariff-versions.ts";
import { DAY_MS } from "#core/time/hour.ts";
import type { SourceFlow } from "#service/energy/read-flows.ts";
import type { Needs } from "#service/ports.ts";

/** Charges are calculated day by day. */
const MAX_DAYS = 3_700;

/** In the currency. */
export type PeriodCosts = SiteCosts & { readonly currency: string };

/** Everything that is needed to price energies of the site. */
export interface Pricing {
  readonly siteId: string;
  readonly timezone: string;
  readonly tariff: Tariff;
}

/** Undefined when the site has no tariff. */
export async function findPricing(
  { tariffs }: Pick<Needs, "tariffs">,
  { siteId, timezone }: Omit<Pricing, "tariff">,
): Promise<Pricing | undefined> {
  const found = await tariffs.find(siteId);
  return found && { siteId, timezone, tariff: found.tariff };
}

interface Asked {
  readonly pricing: Pricing;
  readonly flows: readonly SourceFlow[];
  readonly powers: QuarterCells;
  readonly range: Period;
  readonly steps: readonly Period[];
  readonly now: number;
}

export async function readCosts(
  needs: Pick<Needs, "tariffs">,
  { pricing, flows, powers, range, steps, now }: Asked,
): Promise<{ readonly whole: PeriodCosts; readonly steps: readonly EnergyCosts[] }> {
  const { siteId, timezone, tariff } = pricing;
  if (range.to - range.from > MAX_DAYS * DAY_MS) {
    throw refuse("invalid_query", "costs are calculated for at most 10 years; take a shorter period", {
      parameter: "costs",
    });
  }
  const days = { first: dayOf(range.from), last: dayOf(range.to - 1) };
  const isUsed = (kind: PriceKind) =>
    tariff.versions.some((version) =>
      kind === "co2" ? version.co2?.type === "series" : version[kind]?.type === "prices",
    );
  const read = async (kind: PriceKind): Promise<[PriceKind, PriceDays]> => [
    kind,
    isUsed(kind) ? await needs.tariffs.prices(siteId, kind, days) : new Map(),
  ];
  const prices = Object.fromEntries(await Promise.all(PRICE_KINDS.map(read))) as Record<PriceKind, PriceDays>;
  const grid = flows.filter(({ source }) => source.role === "grid");
  const costs = siteCosts({
    versionAt: versionsOf(tariff, timezone),
    timezone,
    prices,
    import: mergeCells(grid.map(({ forward }) => forward)),
    export: mergeCells(grid.map(({ backward }) => backward)),
    range,
    steps,
    powers,
    now,
  });
  return { whole: { ...costs.whole, currency: tariff.currency }, steps: costs.steps };
}
