// A blueprint is given to many devices, a stage at a time. Each device of a stage has to be well for a while before the next
// stage begins. When too many are not, the roll-out stops by itself.
//
// A device:   WAITING <-> ASSIGNING -> WATCHED -> DONE, and from each of them FAILED or SKIPPED.
// A roll-out: RUNNING <-> PAUSED, RUNNING -> HALTED -> RUNNING, and it ends as DONE or ABORTED.
import type { ErrorCode } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";

export const ROLLOUT_STATES = ["RUNNING", "PAUSED", "HALTED", "DONE", "ABORTED"] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

export const ROLLOUT_DEVICE_STATES = ["WAITING", "ASSIGNING", "WATCHED", "DONE", "FAILED", "SKIPPED"] as const;
/** Of devices that the roll-out has not finished with. */
export const OPEN_DEVICE_STATES = ["WAITING", "ASSIGNING", "WATCHED"] as const satisfies readonly RolloutDeviceState[];

export type RolloutDeviceState = (typeof ROLLOUT_DEVICE_STATES)[number];

export interface Rollout {
  readonly id: string;
  readonly name: string;
  readonly blueprintId: string;
  /** How many devices there are at the end of each stage; the last number is that of all devices. */
  readonly stages: readonly number[];
  /** How long a device has to be well. */
  readonly watchMs: number;
  /** How long a device may take to get the blueprint. */
  readonly timeoutMs: number;
  /** With more failed devices than this it is halted. */
  readonly maxFailures: number;
  readonly state: RolloutState;
  /** Why it is halted. */
  readonly reason: string | undefined;
  /** The stage that runs, from 0. */
  readonly stage: number;
  /** Failed devices that somebody has seen and gone on in spite of. */
  readonly tolerated: number;
  readonly createdBy: { readonly tokenId: string; readonly tokenName: string };
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface RolloutDevice {
  readonly deviceId: string;
  readonly siteId: string;
  readonly stage: number;
  readonly state: RolloutDeviceState;
  /** Since when it is in this state. */
  readonly since: Instant;
  /** Why it failed or was skipped. */
  readonly reason: string | undefined;
  /** What it had before. */
  readonly formerBlueprintId: string | undefined;
  /** Whether it was online before. A device that was not cannot be judged by that. */
  readonly wasOnline: boolean;
  /** What was known of it before it got the blueprint; undefined before its turn. */
  readonly before: KnownBefore | undefined;
}

/**
 * Latest alert and log times known when the device's turn began (0: none). Only later ones count against it. A device and its
 * gateway have clocks of their own, so these times are compared only with each other.
 */
export interface KnownBefore {
  /** When its newest alert of severity error was raised. */
  readonly alertAt: number;
  /** Of the newest entry of its log, in microseconds. */
  readonly logAt: number;
}

export interface ListedRolloutDevice extends RolloutDevice {
  /** Its gateway is not connected, or still reports what happened meanwhile: nobody can give it the blueprint now, or knows how it is. */
  readonly isAway: boolean;
}

/** Refusals that a later attempt may not meet. */
export const PASSING_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  "storage_full",
  "storage_unavailable",
  "overloaded",
  "shutting_down",
  "too_many_calls",
  "queue_full",
  "gateway_unreachable",
  "owned_by_gateway",
]);

/** The request id of what a roll-out asks for. No caller can choose one with a space. */
export const rolloutRequest = (id: string): string => `rollout ${id}`;

/** What is known of a device now. */
export interface DeviceFacts {
  readonly exists: boolean;
  readonly hasBlueprint: boolean;
  readonly isAway: boolean;
  readonly connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN";
  /** For how long it is UNKNOWN although it is not away, as far as this program has seen it. */
  readonly unknownMs: number;
  /** An alert of severity error that was raised since it was its turn. */
  readonly alert: string | undefined;
  /** The first error in its log since then, such as that of a script. */
  readonly error: string | undefined;
}

type Verdict = Pick<RolloutDevice, "state" | "reason">;

/** What a device becomes when it is its turn; `found` is what it has now, undefined when it was deleted. */
export function beginDevice(
  { formerBlueprintId }: Pick<RolloutDevice, "formerBlueprintId">,
  found: { readonly blueprintId: string | undefined } | undefined,
  blueprintId: string,
): Verdict {
  if (found === undefined) return { state: "SKIPPED", reason: "the device was deleted" };
  // It got it before a pause, or somebody else gave it.
  if (found.blueprintId === blueprintId) return { state: "WATCHED", reason: undefined };
  if (found.blueprintId !== formerBlueprintId)
    return { state: "FAILED", reason: "another blueprint was assigned in the meantime" };
  return { state: "ASSIGNING", reason: undefined };
}

/** The next state of a device that is ASSIGNING or WATCHED; undefined: it stays. */
export function judgeDevice(
  device: Pick<RolloutDevice, "state" | "since" | "wasOnline">,
  facts: DeviceFacts,
  { now, watchMs, timeoutMs }: { readonly now: number; readonly watchMs: number; readonly timeoutMs: number },
): Verdict | undefined {
  const failed = (reason: string): Verdict => ({ state: "FAILED", reason });
  if (!facts.exists) return { state: "SKIPPED", reason: "the device was deleted" };
  const lasted = now - device.since;
  if (device.state === "ASSIGNING") {
    if (facts.hasBlueprint) return { state: "WATCHED", reason: undefined };
    if (facts.isAway) return { state: "WAITING", reason: undefined };
    return lasted > timeoutMs ? failed("it did not get the blueprint in time") : undefined;
  }
  if (device.state !== "WATCHED") return undefined;
  if (!facts.hasBlueprint) return failed("another blueprint was assigned in the meantime");
  if (facts.alert !== undefined) return failed(`alert ${facts.alert}`);
  if (facts.error !== undefined) return failed(`error in its log: ${facts.error}`);
  if (lasted < watchMs) return undefined;
  // Nobody knows how it is: its gateway reports it when it is back.
  if (facts.isAway) return undefined;
  if (device.wasOnline && facts.connectivity === "OFFLINE") return failed("it is offline");
  if (device.wasOnline && facts.connectivity === "UNKNOWN") {
    return facts.unknownMs > timeoutMs ? failed("nothing was heard of it") : undefined;
  }
  return { state: "DONE", reason: undefined };
}

export type DeviceCounts = Readonly<Record<RolloutDeviceState, number>>;

export const noDevices = (): Record<RolloutDeviceState, number> => ({
  WAITING: 0,
  ASSIGNING: 0,
  WATCHED: 0,
  DONE: 0,
  FAILED: 0,
  SKIPPED: 0,
});

/** What a running roll-out does next: `stage` are the counts of the stage that runs, `failed` those of all stages. */
export function judgeRollout(
  rollout: Pick<Rollout, "stage" | "stages" | "maxFailures" | "tolerated">,
  stage: DeviceCounts,
  failed: number,
): "go on" | "halt" | "next stage" | "end" {
  if (failed - rollout.tolerated > rollout.maxFailures) return "halt";
  if (stage.WAITING + stage.ASSIGNING + stage.WATCHED > 0) return "go on";
  return rollout.stage + 1 >= rollout.stages.length ? "end" : "next stage";
}

/** `1` devices or `10%` of them; the numbers rise. Returns what is wrong, or how many devices the stages end with. */
export function readStages(
  stages: readonly string[],
  total: number,
): { readonly ends: readonly number[] } | { readonly problem: string } {
  const ends: number[] = [];
  for (const text of stages) {
    const [, digits, percent] = /^(\d{1,7})(%?)$/.exec(text) ?? [];
    const value = Number(digits ?? 0);
    if (value === 0 || (percent === "%" && value > 100)) {
      return {
        problem: `a stage is a number of devices such as 5, or a part of them such as 10%, not ${JSON.stringify(text.slice(0, 20))}`,
      };
    }
    const end = Math.min(total, percent === "%" ? Math.ceil((total * value) / 100) : value);
    // With few devices, stages become equal.
    if (end > (ends.at(-1) ?? 0)) ends.push(end);
    else if (end < (ends.at(-1) ?? 0)) return { problem: "each stage has at least as many devices as the one before" };
  }
  if ((ends.at(-1) ?? 0) < total) ends.push(total);
  return { ends };
}
