import { refuse } from "#core/app-error.ts";
import type { Device, DeviceChange } from "#core/device/device.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import { requireChannel } from "#service/device/provision-device.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Call, Needs } from "#service/ports.ts";

interface DeviceUpdate {
  readonly device: string;
  readonly change: Omit<DeviceChange, "blueprintId">;
}

export async function updateDevice(
  needs: Pick<Needs, "devices" | "now" | "newId"> & { readonly children: Pick<ChildRoutes, "place"> },
  call: Call,
  { device: idOrSlug, change: given }: DeviceUpdate,
): Promise<Device> {
  const before = await visibleDevice(needs, call, idOrSlug);
  const parent = given.parentId === undefined ? undefined : await visibleDevice(needs, call, given.parentId);
  const isFreed = "parentId" in given && parent === undefined;
  const change = {
    ...(isFreed && { childType: undefined }),
    ...given,
    ...(parent !== undefined && { parentId: parent.id }),
  };
  if (Object.keys(change).length === 0) return before;
  if (isFreed && before.type === "CHILD") {
    throw refuse("conflict", "a device of type CHILD has a parent; name another one", { pointer: "/parent_id" });
  }
  const after = { ...before, ...change };
  if (after.type === "CHILD" && change.slug !== undefined) requireChannel(change.slug);
  if (change.childType !== undefined && after.parentId === undefined) {
    throw refuse("conflict", "only a device with a parent has a child type; name the parent too", {
      pointer: "/child_type",
    });
  }
  const trail = auditTrail(needs, call, {
    target: { siteId: before.siteId, deviceId: before.id },
    details: Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value ?? null])),
  });
  const device = await needs.devices.update(before.id, { ...change, updatedAt: needs.now() }, trail);
  if (device === undefined) throw refuse("not_found", `there is no device ${before.id}`);
  // Its channel may have changed, or the device that carries its messages.
  await needs.children.place(device);
  return device;
}
