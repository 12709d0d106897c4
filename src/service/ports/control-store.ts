import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Claim } from "#core/control/claim.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import type { ControlState } from "#core/control/control-writer.ts";
import type { ControlRecordName } from "#core/link/linked-key.ts";
import type { Page, PageRequest } from "./page.ts";

export interface StoredControl {
  readonly deviceId: string;
  readonly control: string;
  readonly state: ControlState;
}

interface NewClaim {
  readonly claim: Claim;
  /** Ends the targets of its class that others have on the control. */
  readonly takesOver: boolean;
  readonly trail: AuditEntry | undefined;
}

interface RecordFilter {
  readonly deviceId: string;
  readonly control: string | undefined;
  /** Milliseconds. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

interface StoredControls {
  readonly claims: readonly Claim[];
  readonly states: readonly StoredControl[];
}

/** Claims, what devices were told, and what controlled them. All of it goes with the device. */
export interface ControlStore {
  /** All claims and states of devices that no gateway owns, or those of one device. */
  load(deviceId?: string): Promise<StoredControls>;
  /** Those of its devices of which there is a claim or a state. */
  devicesOfSite(siteId: string): Promise<readonly string[]>;
  /**
   * Takes the place of the claim of the same source and kind, and gives those that it ended. Refused with `conflict` if the device
   * has too many, and with `not_found` if it is gone.
   */
  claim(input: NewClaim): Promise<readonly string[]>;
  /** False when there is none. */
  release(deviceId: string, claimId: string, trail: AuditEntry): Promise<boolean>;
  /**
   * Stores the state, and the entry of history if there is one. Claims that ended before `now` are deleted. `isNews`: others see
   * something else than before, so a cloud hears of it; by default, if there is an entry.
   */
  save(stored: StoredControl, record: ControlRecord | undefined, now: number, isNews?: boolean): Promise<void>;
  /** One entry of the history. */
  record(name: ControlRecordName): Promise<ControlRecord | undefined>;
  /** Newest first. */
  history(filter: RecordFilter, page: PageRequest): Promise<Page<ControlRecord>>;
  /** Deletes entries from before, a bounded number at a time, and says how many. */
  prune(before: number): Promise<number>;
}
