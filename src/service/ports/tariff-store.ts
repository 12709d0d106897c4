import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { PriceChange, PriceDays, PriceKind } from "#core/energy/price-days.ts";
import type { Tariff } from "#core/energy/tariff.ts";
import type { Instant } from "#core/time/instant.ts";

export interface StoredTariff {
  /** As people write it. */
  readonly document: object;
  readonly tariff: Tariff;
  readonly updatedAt: Instant;
}

/** Tariffs and prices of sites. They go with their site. */
export interface TariffStore {
  find(siteId: string): Promise<StoredTariff | undefined>;
  /** Replaces the one that there is. */
  put(siteId: string, tariff: Omit<StoredTariff, "tariff">, trail: AuditEntry): Promise<void>;
  /** False when there is none. */
  delete(siteId: string, trail: AuditEntry): Promise<boolean>;
  /** Days since 1970, both included. */
  prices(siteId: string, kind: PriceKind, days: { readonly first: number; readonly last: number }): Promise<PriceDays>;
  /** The days that have any price. */
  priceDays(siteId: string): Promise<readonly { readonly kind: PriceKind; readonly day: number }[]>;
  changePrices(siteId: string, kind: PriceKind, change: PriceChange, trail: AuditEntry): Promise<void>;
}
