import { refuse } from "#core/app-error.ts";
import type { Device, DeviceType } from "#core/device/device.ts";
import { type Rollout, type RolloutDevice, readStages } from "#core/rollout/rollout.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { allPages } from "#service/all-pages.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { requireBlueprint } from "#service/device/provision-device.ts";
import type { RolloutTurn } from "#service/ports/rollout-store.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface RolloutNeeds extends Pick<Needs, "rollouts" | "devices" | "blueprints" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
}

export interface NewRollout {
  readonly name: string | undefined;
  readonly blueprintId: string;
  /** A device has to meet all conditions that are given. */
  readonly devices: {
    /** Ids or slugs. */
    readonly names: readonly string[] | undefined;
    readonly siteIds: readonly string[] | undefined;
    /** What they have now. */
    readonly blueprintIds: readonly string[] | undefined;
    readonly types: readonly DeviceType[] | undefined;
  };
  readonly stages: readonly string[];
  readonly watchMs: number;
  readonly timeoutMs: number;
  readonly maxFailures: number;
}

const MAX_DEVICES = 10_000;

/** The devices are chosen now. Those that have the blueprint already, and gateways themselves, are left out. */
export async function createRollout(needs: RolloutNeeds, call: Call, input: NewRollout): Promise<Rollout> {
  requireAllSites(call.caller);
  const { blueprintId } = input;
  const devices = await chosenDevices(needs, input);
  for (const type of new Set(devices.map((device) => device.type))) await requireBlueprint(needs, blueprintId, type);
  const stored = await needs.blueprints.find(blueprintId);
  if (stored === undefined) throw refuse("not_found", "there is no such blueprint", { pointer: "/blueprint_id" });
  if (devices.length === 0) {
    throw refuse("invalid_body", "every matching device already has this blueprint, or no device matches", {
      pointer: "/devices",
    });
  }
  const read = readStages(input.stages, devices.length);
  if ("problem" in read) throw refuse("invalid_body", read.problem, { pointer: "/stages" });
  const now = needs.now();
  const rollout: Rollout = {
    id: needs.newId(),
    name: input.name ?? stored.displayName,
    blueprintId,
    stages: read.ends,
    watchMs: input.watchMs,
    timeoutMs: input.timeoutMs,
    maxFailures: input.maxFailures,
    state: "RUNNING",
    reason: undefined,
    stage: 0,
    tolerated: 0,
    createdBy: { tokenId: call.caller.tokenId, tokenName: call.caller.tokenName },
    createdAt: now,
    updatedAt: now,
  };
  const trail = auditTrail(needs, call, {
    target: { blueprintId },
    details: { rollout_id: rollout.id, devices: devices.length, stages: read.ends.length },
  });
  const entries = devices.map(({ id, siteId, blueprintId: former }, place): RolloutDevice => {
    const stage = read.ends.findIndex((end) => place < end);
    const begin = {
      stage,
      state: "WAITING",
      since: now,
      reason: undefined,
      wasOnline: false,
      before: undefined,
    } as const;
    return { deviceId: id, siteId, formerBlueprintId: former, ...begin };
  });
  await needs.rollouts.insert(rollout, entries, trail);
  return rollout;
}

async function chosenDevices(needs: RolloutNeeds, input: NewRollout): Promise<readonly Device[]> {
  const { names, siteIds, blueprintIds, types } = input.devices;
  const scope = siteIds === undefined ? "all" : new Set(siteIds);
  const chosen: Device[] = [];
  for await (const device of allPages((page) => needs.devices.list({ scope, names, blueprintIds, types }, page))) {
    if (device.type === "GATEWAY" || device.blueprintId === input.blueprintId) continue;
    chosen.push(device);
    if (chosen.length > MAX_DEVICES) {
      throw refuse("invalid_body", `a roll-out has at most ${MAX_DEVICES} devices`, { pointer: "/devices" });
    }
  }
  return chosen;
}

const TURNS = {
  pause: { from: ["RUNNING"], to: "PAUSED" },
  /** Devices that have failed so far are accepted. */
  resume: { from: ["PAUSED", "HALTED"], to: "RUNNING", tolerates: true },
  /** Devices that have got the blueprint keep it. */
  abort: { from: ["RUNNING", "PAUSED", "HALTED"], to: "ABORTED" },
} as const satisfies Readonly<Record<string, Omit<RolloutTurn, "at">>>;

export async function turnRollout(
  needs: RolloutNeeds,
  call: Call,
  {
    id,
    turn,
    skipsAway = false,
  }: { readonly id: string; readonly turn: keyof typeof TURNS; readonly skipsAway?: boolean },
): Promise<Rollout> {
  const before = await findRollout(needs, call, id);
  const trail = auditTrail(needs, call, {
    target: { blueprintId: before.blueprintId },
    details: { rollout_id: id, ...(skipsAway && { without_away: true }) },
  });
  // One that runs may be waiting for them.
  const from = skipsAway ? [...TURNS[turn].from, "RUNNING" as const] : TURNS[turn].from;
  const after = await needs.rollouts.turn(id, { ...TURNS[turn], from, skipsAway, at: needs.now() }, trail);
  if (after !== undefined) return after;
  const { state } = await findRollout(needs, call, id);
  throw refuse("conflict", `the roll-out is ${state}; ${turn} takes one that is ${from.join(" or ")}`);
}

export async function findRollout(needs: Pick<Needs, "rollouts">, call: Call, id: string): Promise<Rollout> {
  requireAllSites(call.caller);
  const rollout = await needs.rollouts.find(id);
  if (rollout === undefined) throw refuse("not_found", `there is no roll-out ${id.slice(0, 80)}`);
  return rollout;
}
