import { parseTariff } from "#core/energy/parse-tariff.ts";
import { isPriceDay, PRICE_KINDS, type PriceDay } from "#core/energy/price-days.ts";
import type { Tariff } from "#core/energy/tariff.ts";
import type { TariffStore } from "#service/ports/tariff-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { number, oneOf, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createTariffStore(reader: ReadDatabase, writer: Writer): TariffStore {
  return {
    find: async (siteId) => {
      const row = await reader.get("SELECT site_id, updated_at, document FROM site_tariff WHERE site_id = ?", siteId);
      if (row === undefined) return undefined;
      let tariff: Tariff | undefined;
      const isTariff = (value: unknown): value is object => {
        tariff = isObject(value) ? parseTariff(value).tariff : undefined;
        return tariff !== undefined;
      };
      const document = storedJson({ database: reader, table: "site_tariff", row }, "document", isTariff);
      if (document === undefined || tariff === undefined) return undefined;
      return { document, tariff, updatedAt: time(row, "updated_at") };
    },
    put: (siteId, tariff, trail) => writer.run("putTariff", { siteId, tariff, trail }),
    delete: (siteId, trail) => writer.run("deleteTariff", { siteId, trail }),
    prices: async (siteId, kind, { first, last }) => {
      const rows = await reader.all(
        "SELECT site_id, day, prices FROM site_price WHERE site_id = ? AND kind = ? AND day BETWEEN ? AND ? ORDER BY day",
        siteId,
        kind,
        first,
        last,
      );
      const days = new Map<number, PriceDay>();
      for (const row of rows) {
        const prices = storedJson({ database: reader, table: "site_price", row }, "prices", isPriceDay);
        if (prices !== undefined) days.set(number(row, "day"), prices);
      }
      return days;
    },
    priceDays: async (siteId) => {
      const rows = await reader.all("SELECT kind, day FROM site_price WHERE site_id = ? ORDER BY kind, day", siteId);
      return rows.map((row) => ({ kind: oneOf(row, "kind", PRICE_KINDS), day: number(row, "day") }));
    },
    changePrices: (siteId, kind, change, trail) =>
      writer.run("changePrices", { siteId, kind, change: [...change], trail }),
  };
}
