// Roll-outs as they are shown: stages, what can be done, and which devices a new one would reach. Pure.
import type { Device, Rollout, RolloutDevice } from "#client/resources.ts";

/** Colours of the states; `t` has their words. */
export const ROLLOUT_TONES = {
  RUNNING: "info",
  PAUSED: "neutral",
  HALTED: "error",
  DONE: "ok",
  ABORTED: "neutral",
} as const satisfies Readonly<Record<Rollout["state"], string>>;

export const DEVICE_TONES = {
  WAITING: "neutral",
  ASSIGNING: "info",
  WATCHED: "info",
  DONE: "ok",
  FAILED: "error",
  SKIPPED: "neutral",
} as const satisfies Readonly<Record<RolloutDevice["state"], string>>;

export const DEVICE_STATES = Object.keys(DEVICE_TONES) as readonly RolloutDevice["state"][];

export type Turn = "pause" | "resume" | "abort";

/** What can be done with a roll-out in a state. */
export function turnsOf(state: Rollout["state"]): readonly Turn[] {
  if (state === "RUNNING") return ["pause", "abort"];
  return state === "PAUSED" || state === "HALTED" ? ["resume", "abort"] : [];
}

export type Stage = {
  /** From 1. */
  readonly number: number;
  /** How many devices it adds. */
  readonly devices: number;
  readonly state: "done" | "current" | "waiting";
};

export function stagesOf({ stage, stages, state }: Pick<Rollout, "stage" | "stages" | "state">): readonly Stage[] {
  return stages.map((end, index) => ({
    number: index + 1,
    devices: end - (stages[index - 1] ?? 0),
    state: index + 1 < stage || state === "DONE" ? "done" : index + 1 === stage ? "current" : "waiting",
  }));
}

/** Devices that are through, well or not, of all: 0 to 100. */
export function percentOf({ devices: { total, done, failed, skipped } }: Pick<Rollout, "devices">): number {
  return total === 0 ? 100 : (100 * (done + failed + skipped)) / total;
}

export type Choice = {
  readonly blueprintId: string;
  /** Undefined: of all sites. */
  readonly siteId: string | undefined;
  /** Undefined: whatever they have now. */
  readonly fromId: string | undefined;
};

/** The devices that the service would choose. Gateways, and those that have the blueprint already, are left out. */
export function reachedBy(
  { blueprintId, siteId, fromId }: Choice,
  devices: readonly Pick<Device, "id" | "type" | "site_id" | "blueprint_id">[],
): readonly string[] {
  return devices
    .filter(({ type, blueprint_id }) => type !== "GATEWAY" && blueprint_id !== blueprintId)
    .filter(({ site_id }) => siteId === undefined || site_id === siteId)
    .filter(({ blueprint_id }) => fromId === undefined || blueprint_id === fromId)
    .map(({ id }) => id);
}

/** `1, 10%  100%` as a list. */
export function splitStages(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
