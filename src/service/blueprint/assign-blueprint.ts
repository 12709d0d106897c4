import { refuse } from "#core/app-error.ts";
import type { BlueprintChange } from "#core/blueprint/blueprint-change.ts";
import { diffBlueprints } from "#core/blueprint/diff-blueprints.ts";
import type { Device } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type HostNeeds, hostDevice } from "#service/device/host-device.ts";
import { requireBlueprint } from "#service/device/provision-device.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface AssignNeeds extends Pick<Needs, "blueprints" | "now" | "newId">, HostNeeds {
  readonly catalog: BlueprintCatalog;
  readonly alertTracker: AlertTracker;
}

interface Assignment {
  readonly device: Device;
  /** How the new blueprint differs from the former one; empty when there was none. */
  readonly changes: readonly BlueprintChange[];
}

/**
 * Replaces the device's blueprint. Everything recorded under the former one stays; alerts that can no longer be
 * reported end.
 */
export async function assignBlueprint(
  needs: AssignNeeds,
  call: Call,
  input: { readonly device: string; readonly blueprintId: string },
): Promise<Assignment> {
  const { blueprintId } = input;
  const before = await visibleDevice(needs, call, input.device);
  await requireBlueprint(needs, blueprintId, before.type);
  const next = await needs.catalog.get(blueprintId);
  const former = before.blueprintId === undefined ? undefined : await needs.catalog.get(before.blueprintId);
  const changes = former === undefined ? [] : diffBlueprints(former.blueprint, next.blueprint).changes;
  const trail = auditTrail(needs, call, {
    target: { siteId: before.siteId, deviceId: before.id, blueprintId },
    details: { former_blueprint_id: before.blueprintId ?? null },
  });
  const device = await needs.devices.update(before.id, { blueprintId, updatedAt: needs.now() }, trail);
  if (device === undefined) throw refuse("not_found", `there is no device ${before.id}`);
  await needs.alertTracker.blueprintChanged(device);
  await hostDevice(needs, device.id);
  return { device, changes };
}
