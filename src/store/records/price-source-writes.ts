import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { PriceKind } from "#core/energy/price-days.ts";
import type { PriceSourceRecord } from "#core/energy/price-source.ts";
import type { LinkedKey } from "#core/link/linked-key.ts";
import type { LinkedPriceSource } from "#core/link/messages.ts";
import type { SettledFetch } from "#service/ports/price-source-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { marked } from "./link-marks.ts";
import { PRICE_SOURCE_COLUMNS, priceSourceValues } from "./price-source-row.ts";
import { changeDays, markedPrices, type PriceChanges, requireOwnSite } from "./tariff-writes.ts";
import { write } from "./write.ts";

interface StoredFetch extends Omit<SettledFetch, "prices"> {
  readonly prices: { readonly change: PriceChanges; readonly trail: AuditEntry } | undefined;
}

const lockOf = ({ siteId, kind }: { readonly siteId: string; readonly kind: PriceKind }) => [
  `prices ${siteId} ${kind}`,
];

export const priceSourceWrites = {
  putPriceSource: write({
    locks: ({ record }) => lockOf(record),
    informs: { cloud: ({ record }) => marked("tariff", record.siteId), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { record, trail }: { record: PriceSourceRecord; trail: AuditEntry }) {
      await requireOwnSite(database, record.siteId);
      await storePriceSource(database, record);
      await recordAudit(database, trail);
    },
  }),

  deletePriceSource: write({
    locks: lockOf,
    informs: { cloud: ({ siteId }) => marked("tariff", siteId), nodes: undefined },
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
    informs: { cloud: changedBy, nodes: undefined },
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

function changedBy({ siteId, kind, prices }: StoredFetch, isSettled: boolean): readonly LinkedKey[] {
  if (!isSettled) return [];
  const days = prices === undefined ? [] : markedPrices({ siteId, kind, change: prices.change });
  return [...marked("tariff", siteId), ...days];
}

/** The copies that a cloud has: all that the gateway has. */
export async function replacePriceSources(
  database: Database,
  siteId: string,
  sources: readonly LinkedPriceSource[],
): Promise<void> {
  await database.run("DELETE FROM price_source WHERE site_id = ?", siteId);
  for (const source of sources) await storePriceSource(database, { ...source, siteId, sealedHeader: undefined });
}

async function storePriceSource(database: Database, record: PriceSourceRecord): Promise<void> {
  const columns = PRICE_SOURCE_COLUMNS.split(", ");
  await database.run(
    `INSERT INTO price_source (${PRICE_SOURCE_COLUMNS}) VALUES (${columns.map(() => "?").join(", ")})
     ON CONFLICT (site_id, kind) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    ...priceSourceValues(record),
  );
}
