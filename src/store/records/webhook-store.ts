import type { WebhookStore } from "#service/ports/webhook-store.ts";
import type { Database } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { listed, text, time } from "./row.ts";
import { readRows } from "./stored-json.ts";
import { allWebhooks, DELIVERY_COLUMNS, parseDelivery } from "./webhook-row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createWebhookStore(reader: Database, writer: Writer, lists: Lists): WebhookStore {
  return {
    insert: (webhook, trail) => writer.run("insertWebhook", { webhook, trail }),
    all: async () => await allWebhooks(reader),
    delete: (id, trail) => writer.run("deleteWebhook", { id, trail }),
    enqueue: (notices) => writer.run("enqueueNotices", { notices }),
    due: async (now, busy) => {
      const isDue = "state = 'PENDING' AND next_attempt_at <= ?";
      const rows = await reader.all(
        `SELECT id, webhook_id FROM webhook_delivery
         WHERE number IN (SELECT min(number) FROM webhook_delivery WHERE ${isDue} GROUP BY webhook_id)
         AND webhook_id NOT IN (SELECT value FROM json_each(?)) ORDER BY number`,
        now,
        listed(busy),
      );
      return rows.map((row) => ({ id: text(row, "id"), webhookId: text(row, "webhook_id") }));
    },
    find: async (id) => {
      const rows = await reader.all(`SELECT ${DELIVERY_COLUMNS} FROM webhook_delivery WHERE id = ?`, id);
      return readRows(reader, { table: "webhook_delivery", rows }, parseDelivery)[0];
    },
    nextAttempt: async (busy) => {
      const row = await reader.get(
        `SELECT next_attempt_at FROM webhook_delivery WHERE state = 'PENDING'
         AND webhook_id NOT IN (SELECT value FROM json_each(?)) ORDER BY next_attempt_at LIMIT 1`,
        listed(busy),
      );
      return row && time(row, "next_attempt_at");
    },
    waiting: async () => {
      const where = () => new Where().and("state = 'PENDING'");
      const { total } = await lists.page(
        { limit: 0, offset: 0 },
        { columns: "id", from: "webhook_delivery", range: where(), where: where(), order: "id", read: () => undefined },
      );
      return total;
    },
    settle: (id, outcome) => writer.run("settleDelivery", { id, outcome }),
    deliveries: async (webhookId, filter, page) =>
      lists.page(page, {
        columns: DELIVERY_COLUMNS,
        from: "webhook_delivery",
        range: new Where().and("webhook_id = ?", webhookId),
        whose: `deliveries ${webhookId}`,
        where: new Where().and("webhook_id = ?", webhookId).andIn("state", filter.states),
        order: filter.newestFirst ? "number DESC" : "number",
        read: parseDelivery,
      }),
    retry: (which, trail) => writer.run("retryDelivery", { which, trail }),
    prune: (before) => writer.run("pruneDeliveries", { before }),
  };
}
