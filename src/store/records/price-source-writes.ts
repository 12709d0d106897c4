import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { PriceKind } from "#core/energy/price-days.ts";
import type { PriceSourceRecord } from "#core/energy/price-source.ts";
import type { SettledFetch } from "#service/ports/price-source-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { PRICE_SOURCE_COLUMNS, priceSourceValues } from "./price-source-row.ts";
import { changeDays, type PriceChanges, requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

interface StoredFetch extends Omit<SettledFetch, "prices"> {
  readonly prices: { readonly change: PriceChanges; readonly trail: AuditEntry } | undefined;
}

const lockOf = ({ siteId, kind }: { readonly siteId: string; readonly kind: PriceKind }) => [
  `prices ${siteId} ${kind}`,
];

export const priceSourceWrites = {
  putPriceSource: write({
    locks: ({ record }) => lockOf(record),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { record, trail }: { record: PriceSourceRecord; trail: AuditEntry }) {
      await requireOwnSite(database, record.siteId);
      await storePriceSource(database, record);
      await recordAudit(database, trail);
    },
  }),

  deletePriceSource: write({
    locks: lockOf,
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { siteId, kind, trail }: { siteId: string; kind: PriceKind; trail: AuditEntry },
    ) {
      await requireOwnSite(database, siteId);
      const sql = "DELETE FROM price_source WHERE site_id = ? AND kind = ?";
      return await recordIfChanged(database, trail, await database.run(sql, siteId, kind));
    },
  }),

  settleFetch: write({
    locks: lockOf,
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { siteId, kind, updatedAt, state, prices }: StoredFetch) {
      const changed = await database.run(
        `UPDATE price_source SET next_at = ?, failures = ?, succeeded_at = ?, fetched_rows = ?, failed_at = ?, error = ?
         WHERE site_id = ? AND kind = ? AND updated_at = ?`,
        state.nextAt,
        state.failures,
        state.succeededAt ?? null,
        state.rows ?? null,
        state.failedAt ?? null,
        state.error ?? null,
        siteId,
        kind,
        updatedAt,
      );
      if (changed === 0) return false;
      if (prices === undefined) return true;
      await changeDays(database, { siteId, kind, change: prices.change });
      await recordAudit(database, prices.trail);
      return true;
    },
  }),
};

async function storePriceSource(database: Database, record: PriceSourceRecord): Promise<void> {
  const columns = PRICE_SOURCE_COLUMNS.split(", ");
  await database.run(
    `INSERT INTO price_source (${PRICE_SOURCE_COLUMNS}) VALUES (${columns.map(() => "?").join(", ")})
     ON CONFLICT (site_id, kind) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    ...priceSourceValues(record),
  );
}
