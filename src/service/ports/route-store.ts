import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Route } from "#core/notification/route.ts";

/** Routes of sites. They go with their site. */
export interface RouteStore {
  /**
   * Stores it under its id, new or not. Refuses with `conflict` when the site has too many, or another one of this name, and with
   * `not_found` when the site or one of its channels is gone.
   */
  put(route: Route, trail: AuditEntry): Promise<void>;
  delete(named: { readonly siteId: string; readonly id: string }, trail: AuditEntry): Promise<boolean>;
  /** All of a site: few. By name. */
  ofSite(siteId: string): Promise<readonly Route[]>;
}
