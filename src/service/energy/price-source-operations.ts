// Where the prices of a site are fetched from.
import { AppError, refuse } from "#core/app-error.ts";
import { PRICE_KINDS, type PriceKind, type PriceRow } from "#core/energy/price-days.ts";
import type { PriceSource, PriceSourceRecord } from "#core/energy/price-source.ts";
import { withSurcharge } from "#core/energy/rates.ts";
import { versionsOf } from "#core/energy/tariff-versions.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { originOf, sourceMistakes } from "#service/energy/check-price-source.ts";
import { fetchPrices } from "#service/energy/fetch-prices.ts";
import { headerContext } from "#service/energy/keep-prices.ts";
import {
  newPriceSourceSchema,
  priceSourceSchema,
  priceTrialSchema,
  readPriceSource,
  renderPriceSource,
  renderTrial,
} from "#service/energy/price-source-wire.ts";
import { priceKind } from "#service/energy/price-wire.ts";
import { siteOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { NOTHING, nullable } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export type PriceSourceNeeds = Pick<
  Needs,
  "sites" | "tariffs" | "priceSources" | "priceFetcher" | "seal" | "now" | "newId"
>;

const tag = "Telemetry";
/** A cloud has copies, and the gateway that owns the site fetches. What is shown of a change holds no secret. */
const atGateway = { by: "gateway", place: siteOfPath, waits: true, compares: "price_source" } as const;
const kinds = `Kinds are ${PRICE_KINDS.join(", ")}.`;

export function priceSourceOperations(needs: PriceSourceNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/price-sources",
      name: "listPriceSources",
      summary: "List where the prices of a site are fetched from",
      description: "With when each was fetched last, and what went wrong. Values of headers are not shown.",
      tag,
      level: "owner",
      answer: Type.Object({ price_sources: Type.Array(priceSourceSchema) }, { additionalProperties: false }),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return { price_sources: (await needs.priceSources.ofSite(id)).map(renderPriceSource) };
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/price-sources/:kind",
      name: "putPriceSource",
      summary: "Set where prices of a site are fetched from",
      description:
        `${kinds} Prices are fetched at once, then as often as said, and stored like those of putPrices. A failure makes the ` +
        "pause longer, up to 6 hours. Only public addresses are allowed, as for webhooks, and redirects are not followed.",
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        shown: ({ params, body }) => detailsOf(params, body),
        current: async (call, { siteId }, answer) => {
          if (answer !== undefined) return {};
          const known = await needs.priceSources.find(siteId, priceKind((call.params as { kind: string }).kind));
          return { price_source: known === undefined ? null : renderPriceSource(known) };
        },
      },
      body: newPriceSourceSchema,
      answer: Type.Object(
        {
          price_source: {
            ...nullable(priceSourceSchema),
            description: "Null: none yet; the change waits for the gateway.",
          },
        },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const kind = priceKind(call.params.kind);
        const { source, headerValue } = await checkedSource(needs, { siteId, kind }, call.body);
        const now = needs.now();
        const before = await needs.priceSources.find(siteId, kind);
        const state = { succeededAt: undefined, rows: undefined, failedAt: undefined, error: undefined };
        const record: PriceSourceRecord = {
          siteId,
          kind,
          source,
          sealedHeader:
            headerValue === undefined ? undefined : needs.seal.seal(headerValue, headerContext(siteId, kind)),
          // A fetch that is under way knows by it that it is outdated.
          updatedAt: now === before?.updatedAt ? ((now + 1) as typeof now) : now,
          state: { ...state, nextAt: now, failures: 0 },
        };
        const details = detailsOf(call.params, call.body);
        await needs.priceSources.put(record, auditTrail(needs, call, { target: { siteId }, details }));
        return { price_source: renderPriceSource(record) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id/price-sources/:kind",
      name: "deletePriceSource",
      summary: "Stop fetching prices of a site",
      description: `${kinds} Prices that are stored stay.`,
      tag,
      level: "owner",
      atGateway,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const kind = priceKind(call.params.kind);
        const trail = auditTrail(needs, call, { target: { siteId }, details: { kind } });
        await needs.priceSources.delete(siteId, kind, trail);
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/price-sources/:kind/try",
      name: "tryPriceSource",
      summary: "Try a source of prices",
      description: `${kinds} Fetches once and answers the first rows as they would be stored, or everything that is wrong. Nothing is stored.`,
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        waits: false,
        compares: "nothing",
        shown: ({ params, body }) => detailsOf(params, body),
      },
      body: newPriceSourceSchema,
      answer: priceTrialSchema,
      run: async (call) => {
        const { id: siteId, timezone } = await visibleSite(needs, call, call.params.site_id);
        const kind = priceKind(call.params.kind);
        const { source, headerValue } = await checkedSource(needs, { siteId, kind }, call.body);
        const fetched = await fetchPrices(needs, { source, headerValue, timezone }, call.signal());
        return renderTrial(fetched, await paidBy(needs, { siteId, timezone, kind }));
      },
    }),
  ];
}

/** Not the whole address: its path may hold a secret. */
function detailsOf(params: unknown, body: unknown) {
  const { url, every = "1h" } = body as Static<typeof newPriceSourceSchema>;
  return { kind: (params as { readonly kind: string }).kind.slice(0, 20), origin: originOf(url) ?? null, every };
}

interface Place {
  readonly siteId: string;
  readonly kind: PriceKind;
}

/** The stored value of the header stays, unless it would go to another server: whoever enters the source may not know it. */
async function checkedSource(
  needs: Pick<Needs, "priceSources" | "priceFetcher" | "seal">,
  { siteId, kind }: Place,
  body: Static<typeof newPriceSourceSchema>,
): Promise<{ readonly source: PriceSource; readonly headerValue: string | undefined }> {
  const source = readPriceSource(body);
  const given = body.header?.value;
  const [first, ...others] = sourceMistakes(needs.priceFetcher, source, given);
  if (first !== undefined) throw new AppError([first, ...others]);
  if (source.header === undefined || given !== undefined) return { source, headerValue: given };
  const known = await needs.priceSources.find(siteId, kind);
  const isSame =
    known?.sealedHeader !== undefined &&
    known.source.header?.toLowerCase() === source.header.toLowerCase() &&
    originOf(known.source.url) === originOf(source.url);
  if (!isSame) {
    const message = "header.value is needed: none is stored for this header and server";
    throw refuse("invalid_body", message, { pointer: "/header/value" });
  }
  return { source, headerValue: needs.seal.open(known.sealedHeader, headerContext(siteId, kind)) };
}

/** What is paid for a price by the tariff that the site has now. */
async function paidBy(
  { tariffs }: Pick<Needs, "tariffs">,
  { siteId, timezone, kind }: Place & { readonly timezone: string },
): Promise<(row: PriceRow) => number | undefined> {
  const found = await tariffs.find(siteId);
  if (found === undefined || kind === "co2") return () => undefined;
  const versionAt = versionsOf(found.tariff, timezone);
  return ({ from, price }) => {
    const rule = versionAt(from)?.[kind];
    return rule?.type === "prices" && price !== null ? withSurcharge(rule, price) : undefined;
  };
}
