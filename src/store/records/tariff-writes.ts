import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import {
  applyChange,
  EMPTY_DAY,
  isPriceDay,
  type PriceChange,
  type PriceDay,
  type PriceKind,
} from "#core/energy/price-days.ts";
import { type LinkedKey, type PricesName, pricesKey } from "#core/link/linked-key.ts";
import type { StoredTariff } from "#service/ports/tariff-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { marked } from "./link-marks.ts";
import { requireOwnedHere } from "./require-owned-here.ts";
import { storedJson } from "./stored-json.ts";
import { write } from "./write.ts";

export const tariffWrites = {
  putTariff: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: { cloud: ({ siteId }) => marked("tariff", siteId), nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { siteId, tariff, trail }: { siteId: string; tariff: Omit<StoredTariff, "tariff">; trail: AuditEntry },
    ) {
      await requireOwnSite(database, siteId);
      await storeTariff(database, siteId, tariff);
      await recordAudit(database, trail);
    },
  }),

  deleteTariff: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: { cloud: ({ siteId }) => marked("tariff", siteId), nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { siteId, trail }: { siteId: string; trail: AuditEntry }) {
      await requireOwnSite(database, siteId);
      return await recordIfChanged(
        database,
        trail,
        await database.run("DELETE FROM site_tariff WHERE site_id = ?", siteId),
      );
    },
  }),

  changePrices: write({
    locks: ({ siteId, kind }) => [`prices ${siteId} ${kind}`],
    informs: { cloud: markedPrices, nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { siteId, kind, change, trail }: { siteId: string; kind: PriceKind; change: PriceChanges; trail: AuditEntry },
    ) {
      await requireOwnSite(database, siteId);
      await changeDays(database, { siteId, kind, change });
      await recordAudit(database, trail);
    },
  }),
};

/** For the cloud: the days that change. */
export function markedPrices(changed: {
  readonly siteId: string;
  readonly kind: PriceKind;
  readonly change: PriceChanges;
}): readonly LinkedKey[] {
  const { siteId, kind, change } = changed;
  return change.map(([day]) => ({ kind: "prices", key: pricesKey({ siteId, kind, day }) }));
}

export async function storeTariff(
  database: Database,
  siteId: string,
  { document, updatedAt }: Omit<StoredTariff, "tariff">,
): Promise<void> {
  await database.run(
    `INSERT INTO site_tariff (site_id, updated_at, document) VALUES (?, ?, ?)
     ON CONFLICT (site_id) DO UPDATE SET updated_at = excluded.updated_at, document = excluded.document`,
    siteId,
    updatedAt,
    JSON.stringify(document),
  );
}

type Entry<Of> = Of extends ReadonlyMap<infer Key, infer Value> ? readonly [Key, Value] : never;

export async function requireOwnSite(database: WriteDatabase, siteId: string): Promise<void> {
  await requireOwnedHere(database, siteId);
  if ((await database.get("SELECT 1 AS found FROM site WHERE id = ?", siteId)) === undefined) {
    throw refuse("not_found", `there is no site ${siteId}`);
  }
}

/** As it travels to the writing thread. */
export type PriceChanges = readonly Entry<PriceChange>[];

export async function changeDays(
  database: WriteDatabase,
  { siteId, kind, change }: { readonly siteId: string; readonly kind: PriceKind; readonly change: PriceChanges },
): Promise<void> {
  for (const [day, changed] of change) await changeDay(database, { siteId, kind, day }, changed);
}

async function changeDay(
  database: WriteDatabase,
  { siteId, kind, day }: { readonly siteId: string; readonly kind: PriceKind; readonly day: number },
  changed: Entry<PriceChange>[1],
): Promise<void> {
  const sql = "SELECT site_id, prices FROM site_price WHERE site_id = ? AND kind = ? AND day = ?";
  const row = await database.get(sql, siteId, kind, day);
  const known = row && storedJson({ database, table: "site_price", row }, "prices", isPriceDay);
  const prices = applyChange(known ?? EMPTY_DAY, changed);
  await storeDay(database, { siteId, kind, day }, prices);
}

/** Null, or a day without any price, has no row. */
export async function storeDay(
  database: Database,
  { siteId, kind, day }: PricesName,
  prices: PriceDay | null,
): Promise<void> {
  if (prices?.some((price) => price !== null) !== true) {
    await database.run("DELETE FROM site_price WHERE site_id = ? AND kind = ? AND day = ?", siteId, kind, day);
    return;
  }
  await database.run(
    `INSERT INTO site_price (site_id, kind, day, prices) VALUES (?, ?, ?, ?)
     ON CONFLICT (site_id, kind, day) DO UPDATE SET prices = excluded.prices`,
    siteId,
    kind,
    day,
    JSON.stringify(prices),
  );
}
