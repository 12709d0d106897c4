import type { AuditTarget } from "#core/access/audit-entry.ts";
import { levelAt, narrow } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { DETAILS_FIELD } from "#core/alert/alert-details.ts";
import { AppError, type Refusal } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { type ColumnKind, columnKind } from "#core/telemetry/aggregation.ts";
import { type ShownValue, shownValue } from "#core/telemetry/shown-value.ts";
import { nearestOf } from "#core/text/nearest.ts";
import type { Instant } from "#core/time/instant.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type Attribute, attributesOf } from "#service/telemetry/attributes.ts";

export type NowNeeds = Pick<Needs, "devices" | "telemetry"> & { readonly catalog: BlueprintCatalog };

/** A snapshot as callers see it. */
export interface CurrentValue {
  readonly at: Instant;
  readonly value: ShownValue;
}

export interface Now {
  /** Keys are the devices and attributes as the caller named them. */
  readonly devices: ReadonlyMap<string, ReadonlyMap<string, CurrentValue>>;
  readonly errors: readonly Refusal[];
  /** What the caller was kept from, for the audit log: the first of each device. */
  readonly refused: readonly RefusedItem[];
}

interface RefusedItem {
  readonly code: string;
  readonly message: string;
  readonly target: AuditTarget;
}

/** How many unknown names get a suggestion: each comparison costs time, and a call can hold thousands. */
const MAX_HINTS = 20;

/** Readable values are returned; each of the others is reported as a problem beside them. */
export async function readNow(
  needs: NowNeeds,
  call: Call,
  asked: ReadonlyMap<string, readonly string[]>,
): Promise<Now> {
  const devices = new Map<string, ReadonlyMap<string, CurrentValue>>();
  const errors: Refusal[] = [];
  const refused: RefusedItem[] = [];
  let hints = MAX_HINTS;
  for (const [idOrSlug, names] of asked) {
    const device = await findDevice(needs, call, { device: idOrSlug });
    if ("code" in device) {
      // A token for some sites may not see the others: the device may be hidden from it.
      const { message, details } = device;
      if (call.caller.sites !== "all" && details !== undefined && device.code === "device_not_found") {
        refused.push({ code: device.code, message, target: { deviceId: String(details["device"]) } });
      }
      // A slug that several devices share names none of them.
      for (const attribute of names) {
        errors.push({ ...device, code: "device_not_found", details: { ...device.details, attribute } });
      }
      continue;
    }
    const inside = { ...call, caller: narrow(call.caller, device.siteId) };
    const attributes = await deviceAttributes(needs, device);
    const latest = await needs.telemetry.current(device.id);
    const before = errors.length;
    const found = new Map<string, CurrentValue>();
    for (const name of names) {
      const details = { device: idOrSlug, attribute: name };
      if (!attributes.has(name)) hints--;
      const attribute = findAttribute(attributes, inside, { ...details, withHint: hints >= 0 });
      const snapshot = "code" in attribute ? undefined : snapshotOf(attribute, latest);
      if ("code" in attribute) errors.push(attribute);
      else if (snapshot === undefined) errors.push({ code: "no_data", message: `${name} has no value yet`, details });
      else found.set(name, snapshot);
    }
    const forbidden = errors.slice(before).find(({ code }) => code === "forbidden");
    if (forbidden !== undefined) {
      refused.push({ ...forbidden, target: { siteId: device.siteId, deviceId: device.id } });
    }
    if (found.size > 0) devices.set(idOrSlug, found);
  }
  return { devices, errors, refused };
}

/** Also undefined when the latest value has a type that the attribute had under an earlier blueprint. */
function snapshotOf({ id, type }: Attribute, latest: ReadonlyMap<string, Snapshot>): CurrentValue | undefined {
  const snapshot = latest.get(id);
  if (snapshot === undefined || kindOfValue(snapshot.value) !== columnKind(type)) return undefined;
  const value = shownValue(type, snapshot.value);
  return value === undefined ? undefined : { at: snapshot.at, value };
}

function kindOfValue(value: Snapshot["value"]): ColumnKind {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "text";
}

/** Every attribute that the caller may read, by its id. */
export async function readableAttributes(
  needs: NowNeeds,
  { caller }: Call,
  device: Device,
): Promise<readonly string[]> {
  const attributes = await deviceAttributes(needs, device);
  const level = levelAt(caller, device.siteId);
  const ids = [...attributes.values()].flatMap(({ id, accessLevel }) => (allows(level, accessLevel) ? [id] : []));
  return [...new Set(ids)];
}

export async function deviceAttributes(
  needs: { readonly catalog: BlueprintCatalog },
  device: Device,
): Promise<ReadonlyMap<string, Attribute>> {
  return attributesOf(await deviceBlueprint(needs, device));
}

/**
 * Every compiled manifest declares it, so clients ask for it. What devices send under this name is kept with their
 * alerts: as telemetry it has no values.
 */
const ALERT_DETAILS: Attribute = { id: DETAILS_FIELD, type: "string", enum: undefined, accessLevel: "readonly" };

type Place = { readonly device: string; readonly attribute: string; readonly pointer?: string };

/** The attribute, or why the caller, narrowed to the site of the device, cannot read it. */
export function findAttribute(
  attributes: ReadonlyMap<string, Attribute>,
  { caller }: Call,
  { withHint = true, ...details }: Place & { readonly withHint?: boolean },
): Attribute | Refusal {
  const name = details.attribute;
  const attribute = attributes.get(name) ?? (name === DETAILS_FIELD ? ALERT_DETAILS : undefined);
  if (attribute === undefined) {
    const close = withHint ? nearestOf(name, attributes.keys()) : undefined;
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

/** The device, or why the caller cannot read it. */
export async function findDevice(
  needs: Pick<Needs, "devices">,
  call: Call,
  place: Omit<Place, "attribute"> & { readonly attribute?: string },
): Promise<Device | Refusal> {
  const details = { ...place, device: place.device.slice(0, 100) };
  try {
    return await visibleDevice(needs, call, place.device);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "slug_ambiguous") return { code: error.code, message: error.message, details };
    if (error.code !== "not_found") throw error;
    return { code: "device_not_found", message: `there is no device ${shown(place.device)}`, details };
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
