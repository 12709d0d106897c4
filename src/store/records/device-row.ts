import { DEVICE_TYPES, type Device } from "#core/device/device.ts";
import type { Database, Row } from "#store/database.ts";
import { oneOf, optionalText, text, time } from "./row.ts";

export const DEVICE_COLUMNS =
  "id, site_id, name, slug, type, blueprint_id, parent_id, child_type, created_at, updated_at";

export async function findDevice(database: Database, id: string): Promise<Device | undefined> {
  const row = await database.get(`SELECT ${DEVICE_COLUMNS} FROM device WHERE id = ?`, id);
  return row && parseDevice(row);
}

export function parseDevice(row: Row): Device {
  return {
    id: text(row, "id"),
    siteId: text(row, "site_id"),
    name: text(row, "name"),
    slug: text(row, "slug"),
    type: oneOf(row, "type", DEVICE_TYPES),
    blueprintId: optionalText(row, "blueprint_id"),
    parentId: optionalText(row, "parent_id"),
    childType: optionalText(row, "child_type"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}
