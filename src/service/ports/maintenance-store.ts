import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { MaintenanceWindow } from "#core/alert/maintenance.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

/** Maintenance windows. They go with their site or device. */
export interface MaintenanceStore {
  /** Refuses with `conflict` when the site has too many that are not over, and with `not_found` when site or device is gone. */
  insert(window: MaintenanceWindow, trail: AuditEntry): Promise<void>;
  /** Ends it now, or deletes it if it has not begun. Undefined, with nothing stored: the site has none of this id that is not over. */
  end(
    named: { readonly siteId: string; readonly id: string; readonly now: Instant },
    trail: AuditEntry,
  ): Promise<MaintenanceWindow | undefined>;
  /** By their end, the latest first. */
  list(siteId: string, page: PageRequest): Promise<Page<MaintenanceWindow>>;
  /** Those of a site that are not over: few. */
  notOver(siteId: string, now: Instant): Promise<readonly MaintenanceWindow[]>;
  /** Deletes those that ended before, a bounded number at a time, and says how many. */
  prune(before: Instant): Promise<number>;
}
