import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import {
  CHANNEL_KINDS,
  type Channel,
  type ChannelTarget,
  MESSAGE_LANGUAGES,
  type QuietHours,
} from "#core/notification/channel.ts";
import type { Database, Row } from "#store/database.ts";
import { number, oneOf, optionalBytes, optionalText, text, time } from "./row.ts";
import { readRows, type StoredRow, storedJson } from "./stored-json.ts";

export const CHANNEL_COLUMNS =
  "id, site_id, name, target, sealed_secret, language, quiet_calendar, quiet_except, allow_private, level, created_at, updated_at";

/** By name. */
export async function channelsOf(database: Database, siteId: string): Promise<readonly Channel[]> {
  const sql = `SELECT ${CHANNEL_COLUMNS} FROM notification_channel WHERE site_id = ? ORDER BY name, id`;
  return readChannels(database, await database.all(sql, siteId));
}

export function readChannels(database: Database, rows: readonly Row[]): readonly Channel[] {
  const table = "notification_channel";
  return readRows(database, { table, rows }, (row) => parseChannel({ database, table, row })).filter(
    (channel) => channel !== undefined,
  );
}

function parseChannel(from: StoredRow): Channel | undefined {
  const { row } = from;
  const target = storedJson(from, "target", isTarget);
  if (target === undefined) return undefined;
  return {
    ...{ id: text(row, "id"), siteId: text(row, "site_id"), name: text(row, "name"), target },
    sealedSecret: optionalBytes(row, "sealed_secret"),
    language: oneOf(row, "language", MESSAGE_LANGUAGES),
    quiet: quietOf(row),
    allowPrivate: number(row, "allow_private") === 1,
    level: ACCESS_LEVELS[number(row, "level")] ?? "readonly",
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

/** Of the row of a channel. */
export const kindOf = (from: StoredRow): ChannelTarget["kind"] | undefined =>
  storedJson(from, "target", isTarget)?.kind;

function quietOf(row: Row): QuietHours | undefined {
  const calendar = optionalText(row, "quiet_calendar");
  if (calendar === undefined) return undefined;
  return { calendar, except: row["quiet_except"] === null ? undefined : oneOf(row, "quiet_except", ALERT_SEVERITIES) };
}

/** The fields that each kind has beside `kind`. */
const FIELDS: Readonly<Record<ChannelTarget["kind"], readonly string[]>> = {
  mail: ["host", "security", "from", "to"],
  ntfy: ["server", "topic"],
  telegram: ["server", "chat"],
  webhook: ["url"],
  push: ["person"],
};

function isTarget(value: unknown): value is ChannelTarget {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const kind = CHANNEL_KINDS.find((one) => one === fields["kind"]);
  if (kind === undefined || !FIELDS[kind].every((field) => typeof fields[field] === "string")) return false;
  if (kind === "push") return Array.isArray(fields["devices"]);
  return kind !== "mail" || typeof fields["port"] === "number";
}
