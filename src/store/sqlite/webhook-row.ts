import type { Delivery, DeliveryState, WebhookKind } from "#core/webhook/webhook.ts";
import type { Connection, Row } from "./connection.ts";
import { number, optionalText, optionalTime, text, time } from "./row.ts";

export const DELIVERY_COLUMNS =
  "id, webhook_id, kind, occurred_at, event, state, attempts, queued_at, next_attempt_at, give_up_at, status, error, finished_at";

export function findDelivery(database: Connection, id: string): Delivery | undefined {
  const row = database.get(`SELECT ${DELIVERY_COLUMNS} FROM webhook_delivery WHERE id = ?`, id);
  return row && readDelivery(row);
}

export function readDelivery(row: Row): Delivery {
  return {
    id: text(row, "id"),
    webhookId: text(row, "webhook_id"),
    kind: text(row, "kind") as WebhookKind,
    occurredAt: time(row, "occurred_at"),
    event: text(row, "event"),
    state: text(row, "state") as DeliveryState,
    attempts: number(row, "attempts"),
    queuedAt: time(row, "queued_at"),
    nextAttemptAt: optionalTime(row, "next_attempt_at"),
    giveUpAt: time(row, "give_up_at"),
    status: row["status"] === null ? undefined : number(row, "status"),
    error: optionalText(row, "error"),
    finishedAt: optionalTime(row, "finished_at"),
  };
}
