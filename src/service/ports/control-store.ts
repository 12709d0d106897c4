import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Claim } from "#core/control/claim.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import type { ControlState } from "#core/control/control-writer.ts";
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

/** Claims, what devices were told, and what controlled them. All of it goes with the device. */
export interface ControlStore {
  /** All claims and states, or those of one device. */
  load(deviceId?: string): Promise<{ readonly claims: readonly Claim[]; readonly states: readonly StoredControl[] }>;
  /**
   * Takes the place of the claim of the same source and kind, and gives those that it ended. Refused with `conflict` if the device
   * has too many, and with `not_found` if it is gone.
   */
  claim(input: NewClaim): Promise<readonly string[]>;
  /** False when there is none. */
  release(deviceId: string, claimId: string, trail: AuditEntry): Promise<boolean>;
  /** Stores the state, and the entry of history if there is one. Claims that ended before `now` are deleted. */
  save(stored: StoredControl, record: ControlRecord | undefined, now: number): Promise<void>;
  /** Newest first. */
  history(filter: RecordFilter, page: PageRequest): Promise<Page<ControlRecord>>;
  /** Deletes entries from before, a bounded number at a time, and says how many. */
  prune(before: number): Promise<number>;
}
