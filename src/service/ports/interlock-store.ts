import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Interlock } from "#core/interlock/interlock.ts";
import type { StoredMemory } from "#core/interlock/interlock-memory.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import type { Instant } from "#core/time/instant.ts";

interface AnyStored {
  readonly siteId: string;
  readonly name: string;
  /** Rises with each change. */
  readonly revision: number;
  readonly updatedAt: Instant;
  /** What it remembered, and when that was last right. Undefined: nothing, or what is stored is damaged. */
  readonly memory: { readonly value: StoredMemory; readonly at: Instant } | undefined;
  readonly isMemoryDamaged: boolean;
  /** What it demanded when that was last reported; undefined: never in this revision. */
  readonly report: InterlockReport | undefined;
}

export interface StoredInterlock extends AnyStored {
  /** As people write it. */
  readonly document: object;
  readonly interlock: Interlock;
  /** The ids of the devices that the document names: a device that gets another slug stays meant. */
  readonly devices: ReadonlyMap<string, string>;
}

/** One whose row cannot be read. Nobody knows what it limits. */
export interface DamagedInterlock extends AnyStored {
  readonly document: undefined;
  readonly interlock: undefined;
  /** The devices that it named. Empty: that is damaged, too. */
  readonly devices: ReadonlyMap<string, string>;
}

export interface NewInterlock extends Pick<StoredInterlock, "siteId" | "name" | "updatedAt" | "document" | "devices"> {
  /** What the caller has seen; 0: none. Undefined: whatever there is. Refused with `conflict` if it is another one. */
  readonly expected: number | undefined;
}

export interface RememberedInterlock extends Pick<StoredInterlock, "siteId" | "name" | "revision"> {
  readonly memory: StoredMemory;
}

/** Interlocks of sites. They go with their site. */
export interface InterlockStore {
  /** Those of all sites that no gateway owns, for a start. */
  all(): Promise<readonly (StoredInterlock | DamagedInterlock)[]>;
  /** By name. */
  ofSite(siteId: string): Promise<readonly (StoredInterlock | DamagedInterlock)[]>;
  /** Replaces the one of this name, and gives its revision. Refused with `conflict` if the site has too many. */
  put(interlock: NewInterlock, trail: AuditEntry): Promise<number>;
  /**
   * Stores what these remember, unless they were changed meanwhile. What the others remember is right at that time, too, but for those
   * that are unsure.
   */
  remember(
    memories: readonly RememberedInterlock[],
    moment: { readonly at: Instant; readonly unsure: readonly Pick<StoredInterlock, "siteId" | "name">[] },
  ): Promise<void>;
  /** False when there is none. */
  delete(named: Pick<NewInterlock, "siteId" | "name" | "expected">, trail: AuditEntry): Promise<boolean>;
  /** Stores what it demands now. False when there is none of this revision. */
  report(
    noted: Pick<StoredInterlock, "siteId" | "name" | "revision"> & { readonly report: InterlockReport },
  ): Promise<boolean>;
}
