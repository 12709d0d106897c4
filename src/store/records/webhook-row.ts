import { ACCESS_LEVELS } from "#core/access/level.ts";
import {
  DELIVERY_STATES,
  type Delivery,
  WEBHOOK_KINDS,
  type Webhook,
  type WebhookKind,
} from "#core/webhook/webhook.ts";
import type { Database, Row } from "#store/database.ts";
import { bytes, number, oneOf, optionalNumber, optionalText, optionalTime, text, time } from "./row.ts";
import { isTexts, readRows, readSites, type StoredRow, storedJson } from "./stored-json.ts";

export const DELIVERY_COLUMNS =
  "id, webhook_id, kind, occurred_at, event, state, attempts, queued_at, next_attempt_at, give_up_at, status, error, finished_at";

export async function findDelivery(database: Database, id: string): Promise<Delivery | undefined> {
  const row = await database.get(`SELECT ${DELIVERY_COLUMNS} FROM webhook_delivery WHERE id = ?`, id);
  return row && parseDelivery(row);
}

export function parseDelivery(row: Row): Delivery {
  return {
    id: text(row, "id"),
    webhookId: text(row, "webhook_id"),
    kind: oneOf(row, "kind", WEBHOOK_KINDS),
    occurredAt: time(row, "occurred_at"),
    event: text(row, "event"),
    state: oneOf(row, "state", DELIVERY_STATES),
    attempts: number(row, "attempts"),
    queuedAt: time(row, "queued_at"),
    nextAttemptAt: optionalTime(row, "next_attempt_at"),
    giveUpAt: time(row, "give_up_at"),
    status: optionalNumber(row, "status"),
    error: optionalText(row, "error"),
    finishedAt: optionalTime(row, "finished_at"),
  };
}

export const WEBHOOK_COLUMNS = "id, url, kinds, sites, level, secret, created_at";

export async function allWebhooks(database: Database): Promise<readonly Webhook[]> {
  const rows = await database.all(`SELECT ${WEBHOOK_COLUMNS} FROM webhook ORDER BY id`);
  return readRows(database, { table: "webhook", rows }, (row) => parseWebhook({ database, table: "webhook", row }));
}

function parseWebhook(from: StoredRow): Webhook {
  const { row } = from;
  return {
    id: text(row, "id"),
    url: text(row, "url"),
    kinds: storedJson(from, "kinds", isKinds) ?? [],
    sites: readSites(from),
    level: ACCESS_LEVELS[number(row, "level")] ?? "readonly",
    sealedSecret: bytes(row, "secret"),
    createdAt: time(row, "created_at"),
  };
}

function isKinds(value: unknown): value is readonly WebhookKind[] {
  return isTexts(value) && value.every((kind) => WEBHOOK_KINDS.some((known) => known === kind));
}
