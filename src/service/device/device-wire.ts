import { type Caller, levelAt } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import { namedBlueprint } from "#core/blueprint/built-in.ts";
import { DEVICE_TYPES, type Device, type DeviceChange, UNSET_FIELDS } from "#core/device/device.ts";
import { isSlug, SLUG_RULE } from "#core/device/slug.ts";
import { ENERGY_CHOICES, energyChoiceOf } from "#core/energy/energy-sources.ts";
import { renderInstant } from "#core/time/instant.ts";
import { communicationSchema } from "#service/device/communication-wire.ts";
import type { ProvisionInput } from "#service/device/provision-device.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { id, name, nullable, oneOf, ROLES, renderRole, strict, timestamp } from "#service/operation/wire.ts";
import { siteSchema } from "#service/site/site-wire.ts";

export const EXPANSIONS = [
  "manifest",
  "properties",
  "connectivity",
  "communication",
  // What earlier clients call it; the answer is the same.
  "communication_info",
  "raised_alert_names",
  "site",
] as const;
export type Expansion = (typeof EXPANSIONS)[number];

const slug = Type.String({
  minLength: 1,
  maxLength: 64,
  description: `Short name for paths and scripts: ${SLUG_RULE}.`,
});
const ENERGY_ROLES = ["auto", ...ENERGY_CHOICES] as const;
const energyRole = oneOf(ENERGY_ROLES, {
  description:
    "Its part in the energy of the site: which meter is the grid's, what produces, what is a load. auto, or not given: guessed from its blueprint. none: it has no part.",
});
const childType = name("What kind of child it is to its parent.", 100);

export const CONNECTIVITY_STATUSES = ["ONLINE", "OFFLINE", "UNKNOWN"] as const;

export const connectivitySchema = strict("Connectivity", { status: oneOf(CONNECTIVITY_STATUSES) });

export const deviceSchema = strict("Device", {
  id: id("Device identifier."),
  device_id: Type.Optional(id("The same again, only below /assets/v1.")),
  name: Type.String(),
  slug: Type.String(),
  site_id: Type.String(),
  blueprint_id: Type.String({ description: "Without a blueprint of its own, a device names one that is built in." }),
  type: oneOf(DEVICE_TYPES),
  parent_id: nullable(Type.String()),
  child_type: nullable(Type.String()),
  energy_role: Type.Optional(energyRole),
  authorized_role: oneOf(ROLES, { description: "What the calling token may do on this device." }),
  created_at: timestamp,
  updated_at: timestamp,
  manifest: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: "Compiled; empty without a blueprint." }),
  ),
  properties: Type.Optional(Type.Object({}, { additionalProperties: true })),
  connectivity: Type.Optional(connectivitySchema),
  communication: Type.Optional(nullable(communicationSchema)),
  raised_alert_names: Type.Optional(Type.Array(Type.String())),
  site: Type.Optional(siteSchema),
});

export const deviceChangeSchema = strict("DeviceChange", {
  name: Type.Optional(name("Name of the device.")),
  slug: Type.Optional(slug),
  parent_id: Type.Optional(
    nullable(id("The device it hangs on, by id or slug; null: none, and no child type either.")),
  ),
  child_type: Type.Optional(nullable(childType)),
  energy_role: Type.Optional(energyRole),
});

const newDevice = {
  name: name("Name of the device."),
  slug: Type.Optional(slug),
  site_id: Type.Optional(id("Its site. Without it: the only site there is.")),
};

export const newStandaloneSchema = strict("NewStandaloneDevice", {
  ...newDevice,
  blueprint_id: Type.Optional(id("Blueprint identifier.")),
});

export const newLuaDeviceSchema = strict("NewLuaDevice", {
  ...newDevice,
  blueprint_id: id("Blueprint identifier."),
  runtime_id: Type.Optional(id("The device that runs it, by id or slug. Without it: this gateway.")),
});

export const newVirtualUcmSchema = strict("NewVirtualUcm", {
  ...newDevice,
  hardware_id: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9._-]{1,64}$",
      description: "The name by which it signs in: 1 to 64 letters, digits, dots, _ or -. Without it: one is made.",
    }),
  ),
});

export const newSimulatedDeviceSchema = strict("NewSimulatedDevice", {
  ...newDevice,
  blueprint_id: id("Blueprint identifier."),
});

export const newChildDeviceSchema = strict("NewChildDevice", {
  ...newDevice,
  parent_id: id("The device it hangs on, by id or slug."),
  child_type: childType,
  blueprint_id: Type.Optional(id("Blueprint identifier.")),
});

export const assignBlueprintSchema = strict("AssignBlueprint", { blueprint_id: id("Blueprint identifier.") });

export const provisionedSchema = strict("ProvisionedDevice", { device_id: id("Device identifier.") });

interface NewDeviceBody {
  readonly name: string;
  readonly slug?: string;
  readonly site_id?: string;
  readonly blueprint_id?: string;
  readonly parent_id?: string;
  readonly runtime_id?: string;
  readonly child_type?: string;
}

export function parseNewDevice(type: ProvisionInput["type"], body: NewDeviceBody): ProvisionInput {
  return {
    ...UNSET_FIELDS,
    type,
    name: body.name,
    slug: parseSlug(body.slug),
    siteId: body.site_id,
    blueprintId: body.blueprint_id,
    parent: body.parent_id ?? body.runtime_id,
    childType: body.child_type,
  };
}

export function parseDeviceChange(body: Static<typeof deviceChangeSchema>): Omit<DeviceChange, "blueprintId"> {
  const slug = parseSlug(body.slug);
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(slug !== undefined && { slug }),
    ...(body.parent_id !== undefined && { parentId: body.parent_id ?? undefined }),
    ...(body.child_type !== undefined && { childType: body.child_type ?? undefined }),
    ...(body.energy_role !== undefined && {
      energyRole: body.energy_role === "auto" ? undefined : body.energy_role,
    }),
  };
}

/** Who reads a device: what it may do, and which words it knows. */
export interface DeviceReader {
  readonly caller: Caller;
  readonly headerPrefix: () => string;
}

/** Clients of other families fail on a type that they do not know. To them a simulated device is one of the gateway. */
function renderType(type: Device["type"], { headerPrefix }: DeviceReader): Device["type"] {
  return type === "SIMULATED" && headerPrefix() !== "X-Service" ? "NATIVE" : type;
}

export function renderDevice(device: Device, reader: DeviceReader): Static<typeof deviceSchema> {
  const chosen = energyChoiceOf(device);
  return {
    id: device.id,
    name: device.name,
    slug: device.slug,
    site_id: device.siteId,
    blueprint_id: namedBlueprint(device),
    type: renderType(device.type, reader),
    parent_id: device.parentId ?? null,
    child_type: device.childType ?? null,
    ...(chosen !== undefined && { energy_role: chosen }),
    authorized_role: renderRole(levelAt(reader.caller, device.siteId)),
    created_at: renderInstant(device.createdAt),
    updated_at: renderInstant(device.updatedAt),
  };
}

function parseSlug(text: string | undefined): string | undefined {
  if (text === undefined || isSlug(text)) return text;
  throw refuse("invalid_body", SLUG_RULE, { pointer: "/slug" });
}
