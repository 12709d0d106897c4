// Recurring work: fetches the prices of all sources whose time has come, for the sites that are owned here.
import { afterFetch } from "#core/energy/fetch-schedule.ts";
import type { MappedPrices } from "#core/energy/map-prices.ts";
import { applyChange, changeOf, dayOf, EMPTY_DAY, type PriceChange } from "#core/energy/price-days.ts";
import { fetchPauseMs, type PriceSourceRecord } from "#core/energy/price-source.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { fetchPrices } from "#service/energy/fetch-prices.ts";
import type { Needs } from "#service/ports.ts";

export interface KeepPricesNeeds
  extends Pick<Needs, "sites" | "tariffs" | "priceSources" | "priceFetcher" | "seal" | "now" | "newId"> {
  readonly random: () => number;
  readonly log: { warn(about: object, text: string): void; info(about: object, text: string): void };
}

/** Of one round. The others are due in the next one. */
const AT_MOST = 200;
/** At the same time: a slow server holds up few others. */
const AT_ONCE = 8;

export const headerContext = (siteId: string, kind: string): string => `price source ${siteId} ${kind}`;

export async function keepPrices(needs: KeepPricesNeeds, stopping: AbortSignal): Promise<void> {
  const due = [...(await needs.priceSources.due(needs.now(), AT_MOST))];
  const work = async () => {
    for (let next = due.shift(); next !== undefined && !stopping.aborted; next = due.shift()) {
      await keepOne(needs, next, stopping);
    }
  };
  // A failure is reported once nothing is under way any more: the next round must not meet this one.
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}

async function keepOne(needs: KeepPricesNeeds, record: PriceSourceRecord, stopping: AbortSignal): Promise<void> {
  const { siteId, kind, updatedAt, source, state } = record;
  const { rows, problems } = await fetchOne(needs, record, stopping);
  // It is neither a success nor a failure: the next start fetches it.
  if (stopping.aborted) return;
  const error = problems.length === 0 ? undefined : problems.join("; ").slice(0, LONGEST_ERROR);
  const at = needs.now();
  const fetched = { at, everyMs: fetchPauseMs(source.every) ?? FALLBACK_MS, rows: rows.length, error };
  const next = afterFetch(state, fetched, needs.random());
  const change = error === undefined ? await changesIn(needs, record, rows) : undefined;
  const trail = change && fetchTrail(needs, record, { rows: rows.length, from: instant(rows[0]?.from ?? at) });
  const prices = change && trail && { change, trail };
  if (!(await needs.priceSources.settle({ siteId, kind, updatedAt, state: next, prices }))) return;
  // The first failure and the end of several are news; the address may hold a secret and is not logged.
  if (error !== undefined && state.failures === 0) needs.log.warn({ siteId, kind, error }, "prices cannot be fetched");
  if (error === undefined && state.failures > 0) needs.log.info({ siteId, kind }, "prices are fetched again");
}

const LONGEST_ERROR = 1_000;
const FALLBACK_MS = 3_600_000;

async function fetchOne(
  needs: KeepPricesNeeds,
  { siteId, kind, source, sealedHeader }: PriceSourceRecord,
  stopping: AbortSignal,
): Promise<MappedPrices> {
  const site = await needs.sites.find(siteId);
  let headerValue: string | undefined;
  try {
    headerValue = sealedHeader && needs.seal.open(sealedHeader, headerContext(siteId, kind));
  } catch {
    return { rows: [], problems: ["the value of the header cannot be read; enter it again"] };
  }
  return await fetchPrices(needs, { source, headerValue, timezone: site?.timezone ?? "UTC" }, stopping);
}

/** Undefined when all of them are stored already. */
async function changesIn(
  needs: Pick<Needs, "tariffs">,
  { siteId, kind }: PriceSourceRecord,
  rows: MappedPrices["rows"],
): Promise<PriceChange | undefined> {
  const change = changeOf(rows);
  const [first = 0, last = 0] = [rows[0]?.from, rows.at(-1)?.from].map((at) => dayOf(at ?? 0));
  const stored = await needs.tariffs.prices(siteId, kind, { first, last });
  const news = [...change].filter(([day, changed]) => {
    const before = stored.get(day) ?? EMPTY_DAY;
    return applyChange(before, changed).some((price, n) => price !== before[n]);
  });
  return news.length === 0 ? undefined : new Map(news);
}

function fetchTrail(
  needs: Pick<Needs, "now" | "newId">,
  { siteId, kind }: PriceSourceRecord,
  { rows, from }: { readonly rows: number; readonly from: ReturnType<typeof instant> },
) {
  const at = needs.now();
  return {
    id: needs.newId(),
    at,
    actor: undefined,
    action: "fetchPrices",
    target: { siteId },
    outcome: "OK" as const,
    code: undefined,
    requestId: "fetch-prices",
    remoteAddress: "local",
    door: "busbar" as const,
    details: { kind, rows, from: renderInstant(from) },
    count: 1,
    lastAt: at,
  };
}
