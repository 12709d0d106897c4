import { LATEST_NEXT_MS } from "#core/energy/fetch-schedule.ts";
import type { PriceSourceRecord } from "#core/energy/price-source.ts";
import type { PriceSourceStore } from "#service/ports/price-source-store.ts";
import type { ReadDatabase, Row } from "#store/database.ts";
import { PRICE_SOURCE_COLUMNS, readPriceSource } from "./price-source-row.ts";
import type { Writer } from "./writer.ts";

export function createPriceSourceStore(reader: ReadDatabase, writer: Writer): PriceSourceStore {
  const read = (rows: readonly Row[]): readonly PriceSourceRecord[] =>
    rows.flatMap((row) => readPriceSource(reader, row) ?? []);
  const ofSite = `SELECT ${PRICE_SOURCE_COLUMNS} FROM price_source WHERE site_id = ?`;
  return {
    find: async (siteId, kind) => read(await reader.all(`${ofSite} AND kind = ?`, siteId, kind))[0],
    ofSite: async (siteId) => read(await reader.all(`${ofSite} ORDER BY kind DESC`, siteId)),
    put: (record, trail) => writer.run("putPriceSource", { record, trail }),
    delete: (siteId, kind, trail) => writer.run("deletePriceSource", { siteId, kind, trail }),
    due: async (now, limit) =>
      read(
        await reader.all(
          `SELECT ${PRICE_SOURCE_COLUMNS} FROM price_source
           WHERE (next_at <= ? OR next_at > ?) AND site_id IN (SELECT id FROM site WHERE gateway_id IS NULL)
           ORDER BY next_at LIMIT ?`,
          now,
          now + LATEST_NEXT_MS,
          limit,
        ),
      ),
    settle: ({ prices, ...fetched }) =>
      writer.run("settleFetch", { ...fetched, prices: prices && { ...prices, change: [...prices.change] } }),
  };
}
