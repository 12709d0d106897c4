// Gives a device the blueprint of a roll-out, wherever the device is: on a joined site its gateway is asked.
import { refuse } from "#core/app-error.ts";
import { PASSING_REFUSALS, rolloutRequest } from "#core/blueprint/rollout.ts";
import type { GatewayChange } from "#core/link/asked-change.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { type GatewayChanges, requireNotRefused } from "#service/link/gateway-changes.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AssignAnywhereNeeds extends AssignNeeds, Pick<Needs, "gateways" | "changes"> {
  /** Undefined where no gateways connect. */
  readonly gatewayChanges: Pick<GatewayChanges, "ask"> | undefined;
}

export interface RolloutAssignment {
  readonly device: string;
  readonly blueprintId: string;
  readonly rolloutId: string;
}

const NEVER = new AbortController().signal;
/** A gateway that has refused for now is asked again after this time. */
const AGAIN_MS = 10_000;

/**
 * Resolves when the device has the blueprint, or its gateway is asked for it. Called again, it throws what has become of
 * that, unless it is made or still waits: a gateway that has said no is not asked again.
 */
export async function assignAnywhere(needs: AssignAnywhereNeeds, call: Call, input: RolloutAssignment): Promise<void> {
  const { blueprintId, rolloutId } = input;
  const { id: deviceId, siteId } = await visibleDevice(needs, call, input.device);
  const gatewayId = await needs.gateways.ownerOf(siteId);
  if (needs.gatewayChanges === undefined || gatewayId === undefined) {
    await assignBlueprint(needs, call, input);
    return;
  }
  const own = { scope: "all", deviceIds: [deviceId], requestIds: [rolloutRequest(rolloutId)] } as const;
  const { items } = await needs.changes.list(own, { limit: 1, offset: 0 });
  if (items[0] !== undefined && (await isAnswered(needs, items[0], input))) return;
  const blueprint = await needs.blueprints.find(blueprintId);
  if (blueprint === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId}`);
  const body = { blueprint_id: blueprintId };
  await needs.gatewayChanges.ask(call, {
    operation: "assignBlueprint",
    gatewayId,
    siteId,
    deviceId,
    params: { device_id: deviceId },
    body,
    blueprintDigest: blueprint.digest,
    shown: body,
    check: async () => {},
    signal: NEVER,
    rolloutId,
  });
}

/** False when the gateway is to be asked again. Throws what it says against the change. */
async function isAnswered(
  needs: AssignAnywhereNeeds,
  change: GatewayChange,
  { blueprintId }: RolloutAssignment,
): Promise<boolean> {
  const { outcome, settledAt = needs.now(), deviceId = "" } = change;
  switch (outcome?.state) {
    case undefined:
      return true;
    case "DONE":
      // Read after the change: whoever calls may have looked before it was made.
      if ((await needs.devices.find(deviceId))?.blueprintId === blueprintId) return true;
      throw refuse("overruled", "somebody gave it another blueprint");
    case "WITHDRAWN":
      if (outcome.isByRollout) return false;
      throw refuse("conflict", "somebody has withdrawn the change");
    case "REFUSED":
      if (outcome.errors.every(({ code }) => PASSING_REFUSALS.has(code))) return needs.now() - settledAt < AGAIN_MS;
      break;
    case "OVERRULED":
  }
  requireNotRefused(change);
  return true;
}
