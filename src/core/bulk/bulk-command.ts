// One command for many devices: which of them begin now, and when it stops. Only decisions: the runner carries them out.
import type { Door } from "#core/access/door.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Instant } from "#core/time/instant.ts";

export const BULK_STATES = ["RUNNING", "DONE", "STOPPED", "CANCELLED"] as const;
export type BulkState = (typeof BULK_STATES)[number];

/*
 * WAITING  its turn has not come
 * RUNNING  its execution has an id, which is stored before the execution is
 * SUCCESS  the execution succeeded
 * FAILED   it ended in another way
 * REFUSED  there is no execution: the caller may not, the device is not there, the arguments do not fit
 * SKIPPED  the bulk command ended before its turn
 */
export const MEMBER_STATES = ["WAITING", "RUNNING", "SUCCESS", "FAILED", "REFUSED", "SKIPPED"] as const;
export type MemberState = (typeof MEMBER_STATES)[number];
export type MemberCounts = Record<MemberState, number>;

export interface BulkCommand {
  readonly id: string;
  /** Of the command, as sent. */
  readonly name: string;
  /** Sensitive ones read `***`. */
  readonly shown: Payload;
  /** How many devices begin per second, and how many run at once. */
  readonly rate: number;
  readonly parallel: number;
  /** With so many failures no further device begins. Undefined: all begin. */
  readonly stopAfter: number | undefined;
  readonly state: BulkState;
  readonly reason: string | undefined;
  readonly createdBy: { readonly tokenId: string; readonly tokenName: string };
  /** How it came: its executions came the same way. */
  readonly door?: Door | undefined;
  readonly createdAt: Instant;
  /** When the last device was done. */
  readonly endedAt: Instant | undefined;
  /** The schedule that began it. */
  readonly scheduleId: string | undefined;
}

export interface BulkMember {
  /** Its place in the order. */
  readonly place: number;
  /** As the caller named it, or its id. */
  readonly device: string;
  /** Undefined when there is no such device for the caller. */
  readonly deviceId: string | undefined;
  readonly siteId: string | undefined;
  readonly state: MemberState;
  readonly executionId: string | undefined;
  readonly begunAt: Instant | undefined;
  /** Why it did not succeed. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export const MAX_BULK_DEVICES = 5_000;
export const MAX_BULK_PARALLEL = 100;
export const MAX_BULK_RATE = 100;
/** Bulk commands that run at once, of one token and of all. */
export const MAX_BULKS_OF_TOKEN = 10;
export const MAX_BULKS = 100;

export const noMembers = (): MemberCounts => ({
  WAITING: 0,
  RUNNING: 0,
  SUCCESS: 0,
  FAILED: 0,
  REFUSED: 0,
  SKIPPED: 0,
});

/** What happens next. */
export type BulkStep =
  | { readonly kind: "begin"; readonly count: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "turn"; readonly to: "DONE" | "STOPPED"; readonly reason: string | undefined }
  /** No device runs any more. */
  | { readonly kind: "end" };

/** Ends of executions are looked up so often. A pause of the program is not made up for by a burst. */
const LOOK_MS = 250;

interface Situation {
  readonly counts: MemberCounts;
  /** When a device began last. */
  readonly lastBegunAt: number | undefined;
  readonly now: number;
}

export function planBulk(
  { state, rate, parallel, stopAfter }: Pick<BulkCommand, "state" | "rate" | "parallel" | "stopAfter">,
  { counts, lastBegunAt, now }: Situation,
): BulkStep {
  if (state !== "RUNNING") return counts.RUNNING > 0 ? { kind: "wait", ms: LOOK_MS } : { kind: "end" };
  if (counts.WAITING === 0) {
    return counts.RUNNING > 0 ? { kind: "wait", ms: LOOK_MS } : { kind: "turn", to: "DONE", reason: undefined };
  }
  const failures = counts.FAILED + counts.REFUSED;
  if (stopAfter !== undefined && failures >= stopAfter) {
    return { kind: "turn", to: "STOPPED", reason: `${failures} devices have failed` };
  }
  const room = Math.min(parallel - counts.RUNNING, counts.WAITING);
  if (room <= 0) return { kind: "wait", ms: LOOK_MS };
  const interval = 1_000 / rate;
  const passed = lastBegunAt === undefined || now < lastBegunAt ? interval : now - lastBegunAt;
  if (passed < interval) return { kind: "wait", ms: Math.min(interval - passed, LOOK_MS) };
  const due = Math.max(1, Math.floor(Math.min(passed, LOOK_MS) / interval));
  return { kind: "begin", count: Math.min(due, room) };
}
