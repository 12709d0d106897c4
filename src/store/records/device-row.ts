import { DEVICE_TYPES, type Device } from "#core/device/device.ts";
import type { Database, Row } from "#store/database.ts";
import { oneOf, optionalText, shortName, text, time } from "./row.ts";

export const DEVICE_COLUMNS =
  "id, site_id, name, slug, type, blueprint_id, parent_id, child_type, created_at, updated_at";

/** In the order of the columns. */
export function deviceValues(device: Device): readonly (string | number | null)[] {
  return [
    device.id,
    device.siteId,
    device.name,
    device.slug,
    device.type,
    device.blueprintId ?? null,
    device.parentId ?? null,
    device.childType ?? null,
    device.createdAt,
    device.updatedAt,
  ];
}

export async function findDevice(database: Database, id: string): Promise<Device | undefined> {
  const row = await database.get(`SELECT ${DEVICE_COLUMNS} FROM device WHERE id = ?`, id);
  return row && parseDevice(row);
}

export function parseDevice(row: Row): Device {
  return {
    id: text(row, "id"),
    siteId: text(row, "site_id"),
    name: shortName(row, "name"),
    slug: text(row, "slug"),
    type: oneOf(row, "type", DEVICE_TYPES),
    blueprintId: optionalText(row, "blueprint_id"),
    parentId: optionalText(row, "parent_id"),
    childType: optionalText(row, "child_type"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}
