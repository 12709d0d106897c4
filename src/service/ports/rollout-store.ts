import type { AuditEntry } from "#core/access/audit-entry.ts";
import type {
  DeviceCounts,
  ListedRolloutDevice,
  Rollout,
  RolloutDevice,
  RolloutDeviceState,
  RolloutState,
} from "#core/rollout/rollout.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";

/** A change of state; only from one of these states. */
export interface RolloutTurn {
  readonly from: readonly RolloutState[];
  readonly to: RolloutState;
  readonly reason?: string | undefined;
  readonly at: Instant;
  /** All devices that have failed so far are accepted. */
  readonly tolerates?: boolean;
  /** Devices of the stage whose gateway is away are left out. */
  readonly skipsAway?: boolean;
}

export interface RolloutDeviceChange {
  /** As it was read. */
  readonly from: Pick<RolloutDevice, "state" | "since">;
  readonly to: RolloutDevice;
}

export interface RolloutStore {
  insert(rollout: Rollout, devices: readonly RolloutDevice[], trail: AuditEntry): Promise<void>;
  find(id: string): Promise<Rollout | undefined>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<Rollout>>;
  /** Those that go on. */
  running(): Promise<readonly Rollout[]>;
  /**
   * The roll-out after the turn; undefined when there is none or its state is another. When it no longer runs, the changes
   * that wait at gateways for it are withdrawn, and devices that are ASSIGNING become WAITING, or SKIPPED when it is aborted.
   */
  turn(id: string, turn: RolloutTurn, trail: AuditEntry | undefined): Promise<Rollout | undefined>;
  /** The next stage begins. */
  beginStage(id: string, stage: number, at: Instant): Promise<void>;
  /** By stage, then by device. */
  devices(
    id: string,
    filter: {
      readonly states?: readonly RolloutDeviceState[] | undefined;
      readonly stage?: number | undefined;
      readonly isAway?: boolean | undefined;
    },
    page: PageRequest,
  ): Promise<Page<ListedRolloutDevice>>;
  /**
   * Changes what is known of these devices, apart from those that were changed meanwhile, and withdraws the changes that wait
   * for those that have failed or are skipped. False, and nothing is changed, when the roll-out does not run.
   */
  putDevices(id: string, changes: readonly RolloutDeviceChange[]): Promise<boolean>;
  /** Of one stage, or of all. */
  counts(id: string, stage?: number): Promise<DeviceCounts>;
}
