import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { CommandSchedule, ScheduleRun } from "#core/schedule/schedule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { NewBulk } from "./bulk-store.ts";
import type { Page, PageRequest } from "./page.ts";

/** A schedule with the bulk command in the clear, as one sealed text. */
export interface SealedSchedule {
  readonly schedule: CommandSchedule;
  readonly sealed: Uint8Array;
}

export interface ChangedSchedule extends SealedSchedule {
  /**
   * When it runs is not changed: what is stored counts, because it may have run meanwhile. Otherwise a time that was due and has not
   * run is noted as skipped.
   */
  readonly keepsTime: boolean;
}

export interface ScheduleStep {
  readonly runs: readonly ScheduleRun[];
  /** Begins together with the step. */
  readonly bulk: { readonly input: NewBulk; readonly trail: AuditEntry } | undefined;
  readonly nextAt: Instant | undefined;
  /** It does not run any more. */
  readonly disables: boolean;
  /** Also if it was changed meanwhile, as long as the same time is due: changes that never end do not keep it from running. */
  readonly anyRevision: boolean;
}

export interface ScheduleStore {
  /** Refuses with `conflict` when there are too many. */
  insert(input: SealedSchedule, trail: AuditEntry): Promise<void>;
  /** Refuses with `conflict` when it has another revision than the one before that of the input. Undefined: it is gone. */
  update(input: ChangedSchedule, trail: AuditEntry): Promise<CommandSchedule | undefined>;
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  find(id: string): Promise<SealedSchedule | undefined>;
  /** By name; of one token, or of all. */
  list(tokenId: string | undefined, page: PageRequest): Promise<Page<CommandSchedule>>;
  /** The ids of all enabled ones whose time has come, the one that waits longest first. */
  due(now: Instant): Promise<readonly string[]>;
  /** False, and nothing is stored, when it was changed or has run meanwhile: so a time runs once. */
  step(schedule: Pick<CommandSchedule, "id" | "revision" | "nextAt">, step: ScheduleStep): Promise<boolean>;
  /** Newest first. */
  runs(id: string, page: PageRequest): Promise<Page<ScheduleRun>>;
}
