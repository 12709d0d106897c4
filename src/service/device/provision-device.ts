import { refuse } from "#core/app-error.ts";
import { EMPTY_BLUEPRINT_ID, isBuiltIn } from "#core/blueprint/built-in.ts";
import { CHANNEL_ID, type Device, type DeviceType } from "#core/device/device.ts";
import { slugOf } from "#core/device/slug.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type HostNeeds, hostDevice } from "#service/device/host-device.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { NewDevice } from "#service/ports/device-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { onlySite } from "#service/site/only-site.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface ProvisionInput extends Omit<NewDevice, "id" | "siteId" | "parentId" | "createdAt" | "updatedAt"> {
  /** Undefined means the parent's site, or the only site there is. */
  readonly siteId: string | undefined;
  readonly parent: string | undefined;
}

export interface BlueprintNeeds extends Pick<Needs, "blueprints"> {
  readonly catalog: BlueprintCatalog;
}

export type ProvisionNeeds = Pick<Needs, "sites" | "now" | "newId"> & BlueprintNeeds & HostNeeds;

export async function provisionDevice(needs: ProvisionNeeds, call: Call, given: ProvisionInput): Promise<Device> {
  // Whoever copies a device sends what it names.
  const { parent: named, siteId: asked, ...fields } = given;
  const input = fields.blueprintId === EMPTY_BLUEPRINT_ID ? { ...fields, blueprintId: undefined } : fields;
  const parent = named === undefined ? undefined : await visibleDevice(needs, call, named);
  const siteId = asked ?? parent?.siteId;
  const site =
    siteId === undefined ? await onlySite(needs, call, "invalid_body") : await visibleSite(needs, call, siteId);
  if (input.blueprintId !== undefined) await requireBlueprint(needs, input.blueprintId, input.type);
  const slug = input.type === "CHILD" ? childSlug(input) : input.slug;
  const now = needs.now();
  const id = needs.newId();
  const trail = auditTrail(needs, call, {
    target: { siteId: site.id, deviceId: id },
    details: { name: input.name, type: input.type, blueprint_id: input.blueprintId ?? null },
  });
  const device = { ...input, id, siteId: site.id, slug, parentId: parent?.id, createdAt: now, updatedAt: now };
  const stored = await needs.devices.insert(device, trail);
  await hostDevice(needs, stored.id);
  return stored;
}

/** The slug of a child is its channel on the connection of its parent, whose own channel is taken. */
function childSlug({ name, slug }: Pick<ProvisionInput, "name" | "slug">): string | undefined {
  if (slug === undefined) return slugOf(name) === CHANNEL_ID ? `${CHANNEL_ID}-child` : undefined;
  requireChannel(slug);
  return slug;
}

/** Refuses the slug of a child that cannot be its channel. */
export function requireChannel(slug: string): void {
  if (slug !== CHANNEL_ID) return;
  const message = `a child cannot have the slug ${CHANNEL_ID}: it is the channel of the parent itself`;
  throw refuse("invalid_body", message, { pointer: "/slug" });
}

/** Refuses a blueprint that does not exist, or that a device of this type cannot run. */
export async function requireBlueprint(needs: BlueprintNeeds, blueprintId: string, type: DeviceType): Promise<void> {
  const pointer = "/blueprint_id";
  const stored = await needs.blueprints.find(blueprintId);
  if (stored === undefined && isBuiltIn(blueprintId)) {
    throw refuse("conflict", "this blueprint is built in: devices without another one have it", { pointer });
  }
  if (stored === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId.slice(0, 80)}`, { pointer });
  if (type !== "LUA") return;
  const { runtime } = (await needs.catalog.get(blueprintId)).blueprint;
  if (runtime.type === "lua") return;
  const message = `blueprint ${stored.displayName} is of runtime ${runtime.type}; a device of type LUA runs one of runtime lua`;
  throw refuse("invalid_body", message, { pointer });
}
