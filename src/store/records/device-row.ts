import { DEVICE_FIELDS, DEVICE_TYPES, type Device } from "#core/device/device.ts";
import type { Database, Row } from "#store/database.ts";
import { oneOf, optionalText, shortName, text, time } from "./row.ts";

const columns = DEVICE_FIELDS.map(([, { column }]) => column);
const changed = DEVICE_FIELDS.filter(([name, { canChange }]) => canChange === true || name === "updatedAt");
/** A gateway that gives a device again changes everything but these. */
const KEPT = ["id", "created_at"];

export const DEVICE_COLUMNS = columns.join(", ");

export const INSERT_DEVICE = `INSERT INTO device (${DEVICE_COLUMNS}) VALUES (${columns.map(() => "?").join(", ")})`;

/** Takes what `changedValues` gives, and the id. */
export const UPDATE_DEVICE = `UPDATE device SET ${changed.map(([, { column }]) => `${column} = ?`).join(", ")} WHERE id = ?`;

export const REPLACE_DEVICE = `${INSERT_DEVICE} ON CONFLICT (id) DO UPDATE SET ${columns
  .filter((column) => !KEPT.includes(column))
  .map((column) => `${column} = excluded.${column}`)
  .join(", ")}`;

/** In the order of the columns. */
export function deviceValues(device: Device, fields = DEVICE_FIELDS): readonly (string | number | null)[] {
  return fields.map(([name]) => device[name] ?? null);
}

export function changedValues(device: Device): readonly (string | number | null)[] {
  return deviceValues(device, changed);
}

export async function findDevice(database: Database, id: string): Promise<Device | undefined> {
  const row = await database.get(`SELECT ${DEVICE_COLUMNS} FROM device WHERE id = ?`, id);
  return row && parseDevice(row);
}

const READ = {
  text,
  "optional text": optionalText,
  name: shortName,
  type: (row: Row, column: string) => oneOf(row, column, DEVICE_TYPES),
  time,
};

export function parseDevice(row: Row): Device {
  const values = DEVICE_FIELDS.map(([name, { column, holds }]) => [name, READ[holds](row, column)] as const);
  return Object.fromEntries(values) as unknown as Device;
}
