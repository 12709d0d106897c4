import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Arrival, CommandResponse, Execution, ExecutionState, Micros } from "#core/command/execution.ts";
import type { ExecutionChange, Merge } from "#core/command/remote-execution.ts";
import type { Instant } from "#core/time/instant.ts";
import type { LongPage, PageRequest } from "./page.ts";

/** An execution about to be stored, with the parts that only the store and the device see. */
export interface NewExecution {
  readonly execution: Execution;
  /** The arguments in the clear, as one sealed text; undefined when none is sensitive. */
  readonly sealed: Uint8Array | undefined;
  /** True when it is handed to the device right after the commit. */
  readonly attempted: boolean;
  readonly idempotency: Idempotency | undefined;
  /** How many executions of the device may be open at once, and how many bytes their arguments may hold. */
  readonly maxOpen: number;
  readonly maxOpenBytes: number;
}

export interface Idempotency {
  readonly tokenId: string;
  readonly key: string;
  readonly requestDigest: Uint8Array;
  readonly expiresAt: Instant;
}

export interface Cancel {
  readonly at: Micros;
  readonly trail: AuditEntry;
}

/** An execution that was just stored, with everything that is sent. */
export interface OpenExecution {
  readonly execution: Execution;
  readonly attempted: boolean;
  readonly sealed: Uint8Array | undefined;
  /** Its stored arguments are damaged, so it must not be sent. */
  readonly isUnreadable?: boolean;
}

/** An execution that still waits for its device, without its arguments: many of them must fit into memory. */
export interface WaitingExecution extends Pick<Execution, "id" | "deviceId" | "siteId" | "createdAt" | "deadline"> {
  readonly attempted: boolean;
  /** The bytes of its arguments. */
  readonly bytes: number;
}

export interface WaitingPage {
  readonly deviceId?: string;
  /** Only executions with a deadline up to this time. */
  readonly dueBefore?: Instant;
  /** The last execution of the previous page. */
  readonly after?: WaitingExecution;
  readonly limit: number;
}

export interface ExecutionFilter {
  readonly scope: SiteScope;
  /** Only executions whose read level this level includes. */
  readonly level: AccessLevel;
  readonly siteId?: string | undefined;
  readonly deviceIds?: readonly string[] | undefined;
  /** Sent or manifest names, exactly. */
  readonly names?: readonly string[] | undefined;
  readonly states?: readonly ExecutionState[] | undefined;
  readonly retention: "PERSISTENT" | "EPHEMERAL" | "ALL";
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  readonly newestFirst: boolean;
  /** Ephemeral executions that are a day old at this time are gone. */
  readonly now: Instant;
}

export interface ChangePage {
  /** In the order of their latest changes. Each execution comes once, in its current state. */
  readonly changes: readonly ExecutionChange[];
  /** Where the next page begins. */
  readonly next: number;
  /** The number of the latest change of all. A cursor beyond it comes from records that were replaced by older ones. */
  readonly latest: number;
}

/** The start is what this side knows: no carrier repeats it. */
export interface StartAndAnswer {
  readonly start: Arrival;
  readonly answer: Arrival & { readonly repeated: boolean };
}

export interface ExecutionStore {
  /**
   * Stores the execution. If its idempotency key was used before, returns the earlier execution, or refuses with
   * `idempotency_conflict` when the request differs. Refuses with `queue_full`.
   */
  insert(
    input: NewExecution,
    trail: AuditEntry | undefined,
  ): Promise<{ readonly execution: Execution; readonly isNew: boolean }>;
  /** The execution for which the key was used before; refused with `idempotency_conflict` as above. */
  earlier(
    execution: Pick<Execution, "deviceId" | "createdAt">,
    idempotency: Idempotency,
  ): Promise<Execution | undefined>;
  /** Ephemeral executions only until they are a day old. */
  find(deviceId: string, id: string, now: Instant): Promise<Execution | undefined>;
  /** Newest first. */
  responses(id: string, deviceId?: string): Promise<readonly CommandResponse[]>;
  /** Ordered by creation time, then id. */
  list(filter: ExecutionFilter, page: PageRequest): Promise<LongPage<Execution>>;
  /** Marks that the device may have received it from now on. False when it was marked before or has ended. */
  markAttempted(id: string, deviceId?: string): Promise<boolean>;
  /** Removes the mark of a command that certainly was not sent. */
  unmarkAttempted(id: string, deviceId?: string): Promise<void>;
  /**
   * The execution after the response; undefined when the response does not count: it is too late, repeated, or not from
   * this device.
   */
  record(
    deviceId: string,
    id: string,
    arrival: Arrival & { readonly repeated: boolean },
  ): Promise<Execution | undefined>;
  /** As `record` for the start of a command and then for what its device answered so soon after it, in one write. */
  recordStartAndAnswer(
    deviceId: string,
    id: string,
    both: StartAndAnswer,
  ): Promise<{ readonly started: Execution | undefined; readonly answered: Execution | undefined }>;
  /**
   * The execution after its timeout; undefined when it has ended, or was heard of since and so has another deadline. One
   * that was sent to a gateway becomes UNSYNC: the gateway may have accepted it.
   */
  expire(id: string, deadline: Instant, deviceId?: string): Promise<Execution | undefined>;
  /**
   * Ends one that nobody has begun to hand over. Undefined, and nothing is stored, when it has ended, may have reached its
   * device or another side owns it.
   */
  cancel(deviceId: string, id: string, cancel: Cancel): Promise<Execution | undefined>;
  /** A page of open executions, of one device or of all: by device, then oldest first. */
  open(page: WaitingPage): Promise<readonly WaitingExecution[]>;
  /** Those of the devices that have open executions which were not attempted. */
  devicesWaiting(deviceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** What is sent to the device; undefined when it has ended. */
  toSend(id: string, deviceId?: string): Promise<OpenExecution | undefined>;
  /**
   * Executions that were stored or changed after the cursor, up to a number; 0 is the beginning. A cursor stays valid across restarts.
   * A page ends after this many executions, or at about 1 MiB. Deletions are not reported: the other side deletes by
   * the same rule.
   */
  changesAfter(cursor: number, limit: number, upTo?: number): Promise<ChangePage>;
  /**
   * Applies a change from the owner of an execution, in any order and any number of times. Refuses with
   * `device_not_found`, and with `conflict` when the execution belongs to another device.
   */
  applyRemote(change: ExecutionChange): Promise<Merge>;
  /**
   * Sets the execution to UNSYNC, because its owner cannot be asked. Undefined when it is not open, or is owned here and
   * was never sent.
   */
  loseSight(id: string): Promise<Execution | undefined>;
  /**
   * Makes another side the owner: it has accepted the execution or, without its answer, may have. UNSYNC without the
   * answer, and when its gateway is gone by now. Undefined when the execution has ended or is not ours.
   */
  giveToOwner(id: string, isAnswered: boolean, deviceId?: string): Promise<Execution | undefined>;
  /**
   * Ends it as ERROR, because its owner no longer knows it. Undefined when it has ended or is owned here, and when the owner
   * never heard of it, unless the owner's records were replaced.
   */
  endLost(id: string, loss: { readonly at: Micros; readonly isReplaced: boolean }): Promise<Execution | undefined>;
  /**
   * The owner of the site's executions has replaced its records: whatever it reports next of those that are not final
   * counts, whatever revisions it reported before.
   */
  forgetRevisions(siteId: string): Promise<void>;
  /** The other side never accepted it, so it is ours again and may be sent. Undefined when it stays what it is. */
  takeFromOwner(id: string, deviceId?: string): Promise<Execution | undefined>;
  /** Executions of a site that another side owns, or may own because they were sent, and that have not ended, by id. */
  ownedElsewhere(siteId: string, after: string, limit: number): Promise<readonly Execution[]>;
  /** Everything that is known about one execution; undefined when there is none. */
  whole(id: string): Promise<ExecutionChange | undefined>;
  /**
   * Deletes ephemeral executions older than a day and expired idempotency keys, a bounded number at a time. Returns how
   * many.
   */
  sweep(now: Instant): Promise<number>;
}
