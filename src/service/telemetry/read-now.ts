import { allows } from "#core/access/level.ts";
import { AppError, type Refusal } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type Attribute, attributesOf } from "#service/telemetry/attributes.ts";

export type NowNeeds = Pick<Needs, "devices" | "telemetry"> & { readonly catalog: BlueprintCatalog };

export interface Now {
  /** Keys are the devices and attributes as asked. */
  readonly devices: ReadonlyMap<string, ReadonlyMap<string, Snapshot>>;
  readonly errors: readonly Refusal[];
}

/** What can be read is read; what cannot is told beside it. */
export async function readNow(
  needs: NowNeeds,
  call: Call,
  asked: ReadonlyMap<string, readonly string[]>,
): Promise<Now> {
  const devices = new Map<string, ReadonlyMap<string, Snapshot>>();
  const errors: Refusal[] = [];
  for (const [idOrSlug, names] of asked) {
    const device = await findDevice(needs, call, idOrSlug);
    if (device === undefined) {
      for (const attribute of names) errors.push(notFound({ device: idOrSlug, attribute }));
      continue;
    }
    const attributes = await deviceAttributes(needs, device);
    const latest = needs.telemetry.latest(device.id);
    const found = new Map<string, Snapshot>();
    for (const name of names) {
      const details = { device: idOrSlug, attribute: name };
      const attribute = findAttribute(attributes, call, details);
      const snapshot = "code" in attribute ? undefined : latest.get(attribute.id);
      if ("code" in attribute) errors.push(attribute);
      else if (snapshot === undefined) errors.push({ code: "no_data", message: `${name} has no value yet`, details });
      else found.set(name, snapshot);
    }
    if (found.size > 0) devices.set(idOrSlug, found);
  }
  return { devices, errors };
}

export async function deviceAttributes(
  needs: { readonly catalog: BlueprintCatalog },
  device: Device,
): Promise<ReadonlyMap<string, Attribute>> {
  return attributesOf(await deviceBlueprint(needs, device));
}

type Place = { readonly device: string; readonly attribute: string; readonly pointer?: string };

/** The attribute, or why the caller cannot have it. */
export function findAttribute(
  attributes: ReadonlyMap<string, Attribute>,
  { caller }: Call,
  details: Place,
): Attribute | Refusal {
  const name = details.attribute;
  const attribute = attributes.get(name);
  if (attribute === undefined) {
    const close = nearestOf(name, attributes.keys());
    const hint = close === undefined ? "" : `; did you mean ${close}?`;
    return {
      code: "attribute_not_found",
      message: `the device has no telemetry attribute ${shown(name)}${hint}`,
      details,
    };
  }
  if (allows(caller.level, attribute.accessLevel)) return attribute;
  return { code: "forbidden", message: `reading ${name} takes access level ${attribute.accessLevel}`, details };
}

export async function findDevice(
  needs: Pick<Needs, "devices">,
  call: Call,
  idOrSlug: string,
): Promise<Device | undefined> {
  try {
    return await visibleDevice(needs, call, idOrSlug);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

export function notFound(details: Place): Refusal {
  return {
    code: "device_not_found",
    message: `there is no device ${shown(details.device)}`,
    details: { ...details, device: details.device.slice(0, 100) },
  };
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
