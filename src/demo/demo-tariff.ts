// What energy costs at the demo site: a tariff by time of use, so that costs show from the first minute.
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";

const DOCUMENT = {
  currency: "EUR",
  versions: [
    {
      import: {
        type: "time_of_use",
        rates: [
          { name: "night", price: 0.2395, from: "22:00", to: "06:00" },
          { name: "peak", price: 0.3785, weekdays: ["mon", "tue", "wed", "thu", "fri"], from: "17:00", to: "20:00" },
        ],
        default: { name: "day", price: 0.3145 },
      },
      export: { type: "fixed", name: "feed-in", price: 0.0803 },
      base: { amount: 12.9, per: "month" },
      co2: { type: "fixed", grams: 363 },
    },
  ],
};

/** A tariff that somebody has set stays. */
export async function giveDemoTariff(
  needs: Pick<Needs, "tariffs" | "now" | "newId">,
  call: Call,
  siteId: string,
): Promise<void> {
  if ((await needs.tariffs.find(siteId)) !== undefined) return;
  const details = { currency: DOCUMENT.currency, versions: DOCUMENT.versions.length };
  const trail = auditTrail(needs, { ...call, operation: "putTariff" }, { target: { siteId }, details });
  await needs.tariffs.put(siteId, { document: DOCUMENT, updatedAt: needs.now() }, trail);
}
