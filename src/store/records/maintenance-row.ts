import type { MaintenanceWindow } from "#core/alert/maintenance.ts";
import type { Row } from "#store/database.ts";
import { optionalText, text, time } from "./row.ts";

export const WINDOW_COLUMNS = "id, site_id, device_id, begins_at, ends_at, reason, made_by, made_name, made_at";

export const parseWindow = (row: Row): MaintenanceWindow => ({
  id: text(row, "id"),
  siteId: text(row, "site_id"),
  deviceId: optionalText(row, "device_id"),
  from: time(row, "begins_at"),
  until: time(row, "ends_at"),
  reason: optionalText(row, "reason"),
  madeBy: { tokenId: text(row, "made_by"), name: text(row, "made_name") },
  madeAt: time(row, "made_at"),
});
