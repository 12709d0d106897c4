import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { Site, SiteChange } from "#core/site/site.ts";
import type { SiteRetention } from "#core/telemetry/retention.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

export interface SiteStore {
  insert(site: Site, trail: AuditEntry): Promise<void>;
  find(id: string): Promise<Site | undefined>;
  /** Ordered by id, which is the order of creation. */
  list(scope: SiteScope, page: PageRequest): Promise<Page<Site>>;
  /** Undefined when there is no such site. */
  update(
    id: string,
    change: SiteChange & { readonly updatedAt: Instant },
    trail: AuditEntry,
  ): Promise<Site | undefined>;
  /** False when there is no such site. Refuses with `conflict` while the site has devices. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
}

export interface RetentionStore {
  /** Empty rules for a site without any. */
  get(siteId: string): Promise<SiteRetention>;
  /** Replaces all rules of the site. */
  put(siteId: string, retention: SiteRetention, trail: AuditEntry): Promise<void>;
}
