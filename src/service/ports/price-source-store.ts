import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { PriceChange, PriceKind } from "#core/energy/price-days.ts";
import type { FetchState, PriceSourceRecord } from "#core/energy/price-source.ts";
import type { Instant } from "#core/time/instant.ts";

/** Where prices of sites are fetched from. They go with their site. */
export interface PriceSourceStore {
  find(siteId: string, kind: PriceKind): Promise<PriceSourceRecord | undefined>;
  ofSite(siteId: string): Promise<readonly PriceSourceRecord[]>;
  /** Replaces the one that there is. */
  put(record: PriceSourceRecord, trail: AuditEntry): Promise<void>;
  /** False when there is none. */
  delete(siteId: string, kind: PriceKind, trail: AuditEntry): Promise<boolean>;
  /** Those to fetch now, of sites that are owned here; the longest overdue first. */
  due(now: Instant, limit: number): Promise<readonly PriceSourceRecord[]>;
  /** Stores how a fetch went, and its prices. False when the source was changed or deleted meanwhile: then nothing is stored. */
  settle(fetched: SettledFetch): Promise<boolean>;
}

export interface SettledFetch {
  readonly siteId: string;
  readonly kind: PriceKind;
  /** Of the source that was fetched. */
  readonly updatedAt: Instant;
  readonly state: FetchState;
  /** Undefined when no price has changed. */
  readonly prices: { readonly change: PriceChange; readonly trail: AuditEntry } | undefined;
}
