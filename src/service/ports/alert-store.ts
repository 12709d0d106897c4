import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Acknowledgement } from "#core/alert/acknowledgement.ts";
import type { AlertChange, AlertSeverity, AlertStateName, RaisedAlert } from "#core/alert/alert-state.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { AlertName } from "#core/link/linked-key.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Notice } from "#core/webhook/webhook.ts";
import type { Page, PageRequest } from "./page.ts";

/** An alert that one source of a device has raised. It is active until it is cleared. */
export interface AlertRecord extends RaisedAlert {
  readonly deviceId: string;
  readonly siteId: string;
  readonly clearedAt: Instant | undefined;
  /** Of this raising. */
  readonly acknowledgement: Acknowledgement | undefined;
}

export interface AlertFilter {
  readonly scope: SiteScope;
  /** Only alerts whose read level this level includes. */
  readonly level: AccessLevel;
  readonly siteId?: string | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  /** True: active alerts. False: cleared ones. */
  readonly active: boolean;
  readonly states?: readonly AlertStateName[] | undefined;
  readonly severities?: readonly AlertSeverity[] | undefined;
  /** Ordered by the time of raising. */
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly newestFirst: boolean;
}

/** What listeners and webhooks get of some changes. */
export interface AlertAnnouncement {
  readonly events: readonly PreparedEvent[];
  readonly notices: readonly Notice[];
}

export interface AlertStore {
  /**
   * Stores the changes and their events and queues the notices, all or none. False, with nothing stored, when the device
   * is gone. Refuses with `conflict` when the changes do not follow from the active alerts: another node was first.
   */
  record(deviceId: string, changes: readonly AlertChange[], announced: AlertAnnouncement): Promise<boolean>;
  /**
   * Acknowledges those of the alerts that are still active, or takes that back, with their events. False, with nothing stored:
   * none is active.
   */
  acknowledge(
    names: readonly AlertName[],
    acknowledgement: Acknowledgement | undefined,
    done: { readonly announced: AlertAnnouncement; readonly trail: AuditEntry },
  ): Promise<boolean>;
  /** Notes in a copy how its gateway has it. */
  copyAcknowledgement(name: AlertName, acknowledgement: Acknowledgement | undefined): Promise<void>;
  /** All active alerts, of one device or of all, in the order of raising. */
  active(deviceId?: string): Promise<readonly AlertRecord[]>;
  find(name: AlertName): Promise<AlertRecord | undefined>;
  /** Ordered by the time of raising. */
  list(filter: AlertFilter, page: PageRequest): Promise<Page<AlertRecord>>;
  /** For each device: ids of its confirmed alerts that this level may read, each once, in the order of raising. */
  raisedNames(deviceIds: readonly string[], level: AccessLevel): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Deletes alerts that were cleared before, a bounded number at a time. Returns how many. */
  prune(before: Instant): Promise<number>;
}
