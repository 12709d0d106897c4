// A roll-out asks for the same change again and again until it knows its end, and must not make it twice.
import { refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import type { GatewayChange } from "#core/link/asked-change.ts";
import { PASSING_REFUSALS } from "#core/rollout/rollout.ts";
import { requireNotRefused } from "#service/link/gateway-changes.ts";
import type { Call, Needs } from "#service/ports.ts";

/** A gateway that has refused for now is asked again after this time. */
const AGAIN_MS = 10_000;

interface Asked {
  readonly body: unknown;
}

/**
 * The change that this roll-out has asked for, if it is made or still waits. Undefined when the gateway is to be asked
 * (again). Throws what the gateway says against the change: it is not asked again.
 */
export async function earlierChange(
  needs: Pick<Needs, "changes" | "devices" | "now">,
  { requestId, body }: Call & Asked,
  { device }: { readonly device?: Device },
): Promise<GatewayChange | undefined> {
  if (device === undefined) return undefined;
  const own = { scope: "all", deviceIds: [device.id], requestIds: [requestId] } as const;
  const { items } = await needs.changes.list(own, { limit: 1, offset: 0 });
  const [change] = items;
  const blueprintId = (body as Payload | undefined)?.["blueprint_id"];
  return change !== undefined && (await isAnswered(needs, change, blueprintId)) ? change : undefined;
}

/** False when the gateway is to be asked again. */
async function isAnswered(
  needs: Pick<Needs, "devices" | "now">,
  change: GatewayChange,
  blueprintId: unknown,
): Promise<boolean> {
  const { outcome, settledAt = needs.now(), deviceId = "" } = change;
  switch (outcome?.state) {
    case undefined:
      return true;
    case "DONE":
      // Read after the change: whoever calls may have looked before it was made.
      if ((await needs.devices.find(deviceId))?.blueprintId === blueprintId) return true;
      throw refuse("overruled", "another blueprint was assigned in the meantime");
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
