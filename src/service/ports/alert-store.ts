import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { AlertChange, AlertSeverity, RaisedAlert } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import type { Page, PageRequest } from "./page.ts";

/** One raising of an alert by one source of a device; active while it is not cleared. */
export interface AlertRecord extends RaisedAlert {
  readonly deviceId: string;
  readonly siteId: string;
  readonly clearedAt: Instant | undefined;
}

export interface AlertFilter {
  readonly scope: SiteScope;
  /** Only alerts whose read level this level includes. */
  readonly level: AccessLevel;
  readonly siteId?: string | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  /** True: those that are active. False: those that were. */
  readonly active: boolean;
  readonly hard?: boolean | undefined;
  readonly severities?: readonly AlertSeverity[] | undefined;
  /** By the time of raising. */
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly newestFirst: boolean;
}

export interface AlertStore {
  /** Stores the changes and queues the notices, all or none. False, and nothing stored, when the device is gone. */
  record(deviceId: string, changes: readonly AlertChange[], notices: readonly Notice[]): Promise<boolean>;
  /** Everything active, of one device or of all, in the order of raising. */
  active(deviceId?: string): Promise<readonly AlertRecord[]>;
  /** By the time of raising. */
  list(filter: AlertFilter, page: PageRequest): Promise<Page<AlertRecord>>;
  /** Ids of the active alerts of each asked device that this level may read, each once, in the order of raising. */
  raisedNames(deviceIds: readonly string[], level: AccessLevel): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Deletes what was cleared before, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}
