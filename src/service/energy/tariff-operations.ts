// The tariff of a site, and the prices that it may follow.
import { refuse } from "#core/app-error.ts";
import { changeOf, dayOf, PRICE_KINDS, rowsOf } from "#core/energy/price-days.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { newPricesSchema, parsePrices, priceKind, pricesSchema, renderPrices } from "#service/energy/price-wire.ts";
import {
  newTariffSchema,
  renderTariff,
  requireTariff,
  tariffMistakes,
  tariffSchema,
} from "#service/energy/tariff-wire.ts";
import { siteOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { dateTime } from "#service/operation/query.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { NOTHING, nullable } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export type TariffNeeds = Pick<Needs, "sites" | "tariffs" | "now" | "newId">;

const tag = "Telemetry";
const tariffAnswer = Type.Object({ tariff: nullable(tariffSchema) }, { additionalProperties: false });
const pricesAnswer = Type.Object({ prices: pricesSchema }, { additionalProperties: false });
/** A cloud has copies, and the gateway that owns the site makes the changes. */
const atGateway = { by: "gateway", place: siteOfPath, waits: true } as const;
/** Of one answer. */
const MAX_RANGE_DAYS = 400;

export function tariffOperations(needs: TariffNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/tariff",
      name: "getTariff",
      summary: "Get the tariff of a site",
      description: "Null: it has none.",
      tag,
      level: "readonly",
      answer: tariffAnswer,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return renderTariff(await needs.tariffs.find(id));
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/tariff",
      name: "putTariff",
      summary: "Set the tariff of a site",
      description:
        "Replaces the tariff. Costs are calculated whenever they are read, so a change of a version changes the costs of its " +
        "time; a new tariff is one more version with its date. A mistake is reported with all others, by JSON pointer.",
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        compares: "tariff",
        shown: (call) => tariffDetails(call.body as Static<typeof newTariffSchema>),
        check: async (call) => requireTariff(call.body),
        current: async (_, { siteId }, answer) =>
          answer === undefined ? renderTariff(await needs.tariffs.find(siteId)) : {},
      },
      body: newTariffSchema,
      moreMistakes: tariffMistakes,
      answer: tariffAnswer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        requireTariff(call.body);
        const tariff = { document: call.body, updatedAt: needs.now() };
        const details = tariffDetails(call.body);
        await needs.tariffs.put(siteId, tariff, auditTrail(needs, call, { target: { siteId }, details }));
        return renderTariff(tariff);
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id/tariff",
      name: "deleteTariff",
      summary: "Remove the tariff of a site",
      description: "Stored prices stay. A site without a tariff stays without one.",
      tag,
      level: "owner",
      atGateway: { ...atGateway, compares: "tariff" },
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const trail = auditTrail(needs, call, { target: { siteId }, details: {} });
        await needs.tariffs.delete(siteId, trail);
        return {};
      },
    }),
    ...priceOperations(needs),
  ];
}

const tariffDetails = ({ currency, versions }: Static<typeof newTariffSchema>) => ({
  currency,
  versions: versions.length,
});

function priceOperations(needs: TariffNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/prices/:kind",
      name: "getPrices",
      summary: "Get stored prices of a site",
      description: `Kinds are ${PRICE_KINDS.join(", ")}. At most ${MAX_RANGE_DAYS} days; the default is yesterday to the day after tomorrow.`,
      tag,
      level: "readonly",
      query: { from: dateTime("Start of the range."), to: dateTime("End of the range, not included.") },
      answer: pricesAnswer,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const kind = priceKind(call.params.kind);
        const from = call.query.from ?? instant(needs.now() - DAY_MS);
        const to = call.query.to ?? instant(Math.max(from + DAY_MS, needs.now() + 2 * DAY_MS));
        if (from >= to || to - from > MAX_RANGE_DAYS * DAY_MS) {
          const message = `from must be before to, by at most ${MAX_RANGE_DAYS} days`;
          throw refuse("invalid_query", message, { parameter: "from" });
        }
        const days = await needs.tariffs.prices(id, kind, { first: dayOf(from), last: dayOf(to - 1) });
        return { prices: renderPrices(kind, rowsOf(days, { from, to })) };
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/prices/:kind",
      name: "putPrices",
      summary: "Store prices of a site",
      description:
        `Kinds are ${PRICE_KINDS.join(", ")}. Prices of import and export are used by tariffs of type prices, those of co2 by ` +
        "tariffs with a series of CO2. They are kept as long as the site.",
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        // Prices replace those of their times alone, and whoever writes later is right.
        compares: "nothing",
        shown: (call) => ({ rows: (call.body as Static<typeof newPricesSchema>).prices.length }),
        check: async (call) => {
          priceKind((call.params as { kind: string }).kind);
          parsePrices(call.body as Static<typeof newPricesSchema>, needs.now());
        },
        current: async (_, __, answer) => (answer === undefined ? { stored: 0 } : {}),
      },
      body: newPricesSchema,
      answer: Type.Object({ stored: Type.Integer({ description: "Rows." }) }, { additionalProperties: false }),
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const kind = priceKind(call.params.kind);
        const rows = parsePrices(call.body, needs.now());
        const from = renderInstant(
          instant(rows.reduce((least, row) => Math.min(least, row.from), Number.MAX_SAFE_INTEGER)),
        );
        const details = { kind, rows: rows.length, from };
        const trail = auditTrail(needs, call, { target: { siteId }, details });
        await needs.tariffs.changePrices(siteId, kind, changeOf(rows), trail);
        return { stored: rows.length };
      },
    }),
  ];
}
