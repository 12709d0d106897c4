// Gives a device a blueprint, wherever the device is: on a joined site its gateway is asked.
import { refuse } from "#core/app-error.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { type GatewayChanges, requireNotRefused } from "#service/link/gateway-changes.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AssignAnywhereNeeds extends AssignNeeds, Pick<Needs, "gateways" | "changes"> {
  /** Undefined where no gateways connect. */
  readonly gatewayChanges: Pick<GatewayChanges, "ask"> | undefined;
}

const NEVER = new AbortController().signal;
/** Of one device. */
const PENDING_AT_ONCE = 100;

/** Resolves when the device has the blueprint, or will get it from its gateway. A gateway is asked once, however often this is called. */
export async function assignAnywhere(
  needs: AssignAnywhereNeeds,
  call: Call,
  input: { readonly device: string; readonly blueprintId: string },
): Promise<void> {
  const { id: deviceId, siteId } = await visibleDevice(needs, call, input.device);
  const gatewayId = await needs.gateways.ownerOf(siteId);
  if (needs.gatewayChanges === undefined || gatewayId === undefined) {
    await assignBlueprint(needs, call, input);
    return;
  }
  const { blueprintId } = input;
  const pending = { scope: "all", deviceIds: [deviceId], states: ["PENDING"] } as const;
  const { items } = await needs.changes.list(pending, { limit: PENDING_AT_ONCE, offset: 0 });
  const isSame = ({ operation, shown }: (typeof items)[number]) =>
    operation === "assignBlueprint" && shown["blueprint_id"] === blueprintId;
  if (items.some(isSame)) return;
  const blueprint = await needs.blueprints.find(blueprintId);
  if (blueprint === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId}`);
  const body = { blueprint_id: blueprintId };
  const change = await needs.gatewayChanges.ask(call, {
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
  });
  requireNotRefused(change);
}
