import { createHash, randomBytes } from "node:crypto";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";
import { GIVE_UP_AFTER_MS, type Outcome } from "#core/webhook/after-attempt.ts";
import { type Delivery, type Notice, type Webhook, wants } from "#core/webhook/webhook.ts";
import {
  MAX_PAST_DELIVERIES,
  MAX_PENDING_BYTES,
  MAX_PENDING_DELIVERIES,
  MAX_WEBHOOKS,
  MAX_WEBHOOKS_PER_SITE,
} from "#core/webhook/webhook-limits.ts";
import type { WebhookStore } from "#service/ports/webhook-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { listed, number, text } from "./row.ts";
import { allWebhooks, findDelivery, WEBHOOK_COLUMNS } from "./webhook-row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

export const webhookWrites = {
  insertWebhook: write({
    locks: ["webhooks"],
    informs: { cloud: undefined, nodes: () => ({ kind: "webhooks" }) },
    fromReserve: false,
    async run(database: WriteDatabase, { webhook, trail }: { webhook: Webhook; trail: AuditEntry }) {
      await refuseTooMany(database, webhook);
      await database.run(
        `INSERT INTO webhook (${WEBHOOK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        webhook.id,
        webhook.url,
        listed(webhook.kinds),
        webhook.sites === "all" ? null : listed(webhook.sites),
        ACCESS_LEVELS.indexOf(webhook.level),
        webhook.sealedSecret,
        webhook.createdAt,
      );
      await recordAudit(database, trail);
    },
  }),

  deleteWebhook: write({
    locks: ["webhooks"],
    informs: { cloud: undefined, nodes: () => ({ kind: "webhooks" }) },
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      return await recordIfChanged(database, trail, await database.run("DELETE FROM webhook WHERE id = ?", id));
    },
  }),

  enqueueNotices: write({
    locks: [],
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { notices }: { notices: readonly Notice[] }) {
      await enqueueNotices(database, notices);
    },
  }),

  settleDelivery: write({
    locks: ({ id }) => [`delivery ${id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { id, outcome }: { id: string; outcome: Outcome }) {
      const webhook = await database.get("SELECT webhook_id FROM webhook_delivery WHERE id = ?", id);
      if (webhook === undefined) return;
      await database.run(
        `UPDATE webhook_delivery SET state = ?, attempts = ?, next_attempt_at = ?, status = ?, error = ?, finished_at = ?
         WHERE id = ?`,
        outcome.state,
        outcome.attempts,
        outcome.nextAttemptAt ?? null,
        outcome.status ?? null,
        outcome.error ?? null,
        outcome.finishedAt ?? null,
        id,
      );
      if (outcome.state !== "PENDING") await forgetOldest(database, text(webhook, "webhook_id"), outcome.state);
    },
  }),

  retryDelivery: write({
    locks: ({ which }) => [`delivery ${which.deliveryId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { which, trail }: { which: Parameters<WebhookStore["retry"]>[0]; trail: AuditEntry },
    ) {
      const changed = await database.run(
        `UPDATE webhook_delivery SET state = 'PENDING', next_attempt_at = ?, give_up_at = ?, finished_at = NULL
         WHERE webhook_id = ? AND id = ?`,
        which.now,
        which.now + GIVE_UP_AFTER_MS,
        which.webhookId,
        which.deliveryId,
      );
      if (changed === 0) return undefined;
      await recordAudit(database, trail);
      return await findDelivery(database, which.deliveryId);
    },
  }),

  pruneDeliveries: prune("deliveries", async (database: Database, { before }: { before: Instant }) => {
    return await database.run(
      `DELETE FROM webhook_delivery WHERE number IN
       (SELECT number FROM webhook_delivery WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
  }),
};

/**
 * Part of the transaction of the change itself. A delivery that a full queue cannot take is dead at once, so that it
 * can be seen.
 */
export async function enqueueNotices(database: Database, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const webhooks = await allWebhooks(database);
  for (const notice of notices) {
    const level = ACCESS_LEVELS.indexOf(notice.readLevel);
    for (const webhook of webhooks) {
      if (wants(webhook, notice) && level <= ACCESS_LEVELS.indexOf(webhook.level))
        await enqueue(database, webhook.id, notice);
    }
  }
}

async function refuseTooMany(database: Database, { sites }: Webhook): Promise<void> {
  const count = async (where: string, ...values: string[]) =>
    number(await database.one(`SELECT count(*) AS total FROM webhook ${where}`, ...values), "total");
  const tooMany = (words: string) => refuse("conflict", `${words} webhooks already; delete some first`);
  if ((await count("")) >= MAX_WEBHOOKS) throw tooMany(`there are ${MAX_WEBHOOKS}`);
  if (sites === "all") {
    if ((await count("WHERE sites IS NULL")) >= MAX_WEBHOOKS_PER_SITE)
      throw tooMany(`all sites have ${MAX_WEBHOOKS_PER_SITE}`);
    return;
  }
  const ofSite = "WHERE EXISTS (SELECT 1 FROM json_each(webhook.sites) WHERE value = ?)";
  for (const site of sites) {
    if ((await count(ofSite, site)) >= MAX_WEBHOOKS_PER_SITE)
      throw tooMany(`site ${site} has ${MAX_WEBHOOKS_PER_SITE}`);
  }
}

async function enqueue(database: Database, webhookId: string, notice: Notice): Promise<void> {
  const waiting = await database.one(
    `SELECT count(*) AS deliveries, coalesce(sum(octet_length(event)), 0) AS bytes
     FROM webhook_delivery WHERE webhook_id = ? AND state = 'PENDING'`,
    webhookId,
  );
  const isFull =
    number(waiting, "deliveries") >= MAX_PENDING_DELIVERIES ||
    number(waiting, "bytes") + Buffer.byteLength(notice.event) > MAX_PENDING_BYTES;
  await database.run(
    `INSERT INTO webhook_delivery
       (id, webhook_id, kind, occurred_at, event, state, attempts, queued_at, next_attempt_at, give_up_at, error, finished_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    deliveryId(webhookId, notice),
    webhookId,
    notice.kind,
    notice.occurredAt,
    notice.event,
    isFull ? "DEAD" : "PENDING",
    notice.queuedAt,
    isFull ? null : notice.queuedAt,
    notice.queuedAt + GIVE_UP_AFTER_MS,
    isFull ? "the queue is full" : null,
    isFull ? notice.queuedAt : null,
  );
  if (isFull) await forgetOldest(database, webhookId, "DEAD");
}

/** Several nodes may queue the same event: their deliveries have the same id. */
function deliveryId(webhookId: string, { position }: Notice): string {
  if (position === undefined) return randomBytes(16).toString("hex");
  return createHash("sha256").update(`${webhookId} ${position}`).digest("hex").slice(0, 32);
}

async function forgetOldest(database: Database, webhookId: string, state: Delivery["state"]): Promise<void> {
  await database.run(
    `DELETE FROM webhook_delivery WHERE webhook_id = ? AND state = ? AND number <=
     (SELECT number FROM webhook_delivery WHERE webhook_id = ? AND state = ? ORDER BY number DESC LIMIT 1 OFFSET ?)`,
    webhookId,
    state,
    webhookId,
    state,
    MAX_PAST_DELIVERIES,
  );
}
