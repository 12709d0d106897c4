import type { AuditEntry } from "#core/access/audit-entry.ts";
import { GIVE_UP_MESSAGE_MS, type SendResult } from "#core/notification/after-send.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Message, SendAttempt, StoredPlan } from "#service/ports/message-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { MESSAGE_COLUMNS, readMessages, watchJson } from "./message-row.ts";
import { number } from "./row.ts";
import { deviceLock, NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

/** Messages that may wait for one channel. */
const MOST_WAITING = 1_000;
/** Attempts of a message that are kept. */
const MOST_ATTEMPTS = 20;

export const messageWrites = {
  storePlan: write({
    // Those of the alerts, too: their changes come to the same rows.
    locks: ({ plan }) => [
      `notify ${plan.siteId}`,
      ...new Set(plan.watches.flatMap(({ deviceId }) => (deviceId === undefined ? [] : deviceLock(deviceId)))),
    ],
    informs: NOBODY,
    fromReserve: false,
    keepsMemory: true,
    async run(database: WriteDatabase, { plan }: { plan: StoredPlan }): Promise<boolean> {
      for (const { id, revision } of plan.watches) {
        const sql = "SELECT 1 AS found FROM notification_watch WHERE id = ? AND revision = ?";
        if ((await database.get(sql, id, revision)) === undefined) return false;
      }
      for (const { id, watch, nextAt } of plan.watches) {
        if (watch === undefined) await database.run("DELETE FROM notification_watch WHERE id = ?", id);
        else {
          const sql = "UPDATE notification_watch SET state = ?, next_at = ?, revision = revision + 1 WHERE id = ?";
          await database.run(sql, watchJson(watch), nextAt ?? null, id);
        }
      }
      for (const message of plan.messages) await queue(database, plan, message);
      return true;
    },
  }),

  lookAgain: write({
    locks: ({ siteId }) => [`notify ${siteId ?? "all"}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: Database, { siteId }: { siteId: string | undefined }) {
      const sql = "UPDATE notification_watch SET next_at = 0, revision = revision + 1";
      if (siteId === undefined) await database.run(sql);
      else await database.run(`${sql} WHERE site_id = ?`, siteId);
    },
  }),

  beginAttempt: write({
    locks: ({ id }) => [`message ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(database: Database, { id, now }: { id: string; now: Instant }): Promise<boolean> {
      const sql = `UPDATE notification_message SET state = 'SENDING', attempts = attempts + 1, next_attempt_at = NULL
        WHERE id = ? AND state = 'WAITING' AND next_attempt_at <= ?`;
      return (await database.run(sql, id, now)) === 1;
    },
  }),

  settleMessage: write({
    locks: ({ id }) => [`message ${id}`],
    informs: NOBODY,
    fromReserve: true,
    keepsMemory: true,
    async run(
      database: Database,
      { id, attempt, result }: { id: string; attempt: SendAttempt & { readonly number: number }; result: SendResult },
    ) {
      const [message] = await find(database, id);
      const { number: count, ...tried } = attempt;
      // A late answer says more than that nobody knows.
      const isItsOwn = message?.attempts === count && ["SENDING", "UNKNOWN"].includes(message.state);
      if (!isItsOwn || (message.state === "UNKNOWN" && result.state !== "SENT")) return;
      await database.run(
        `UPDATE notification_message SET state = ?, next_attempt_at = ?, finished_at = ?, error = ?, history = ? WHERE id = ?`,
        result.state,
        result.nextAttemptAt ?? null,
        result.finishedAt ?? null,
        result.error ?? null,
        JSON.stringify([...message.history, tried].slice(-MOST_ATTEMPTS)),
        id,
      );
    },
  }),

  retryMessage: write({
    locks: ({ named }) => [`message ${named.id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      {
        named: { siteId, id, now },
        trail,
      }: {
        named: { readonly siteId: string; readonly id: string; readonly now: Instant };
        trail: AuditEntry;
      },
    ): Promise<Message | undefined> {
      const changed = await database.run(
        `UPDATE notification_message SET state = 'WAITING', next_attempt_at = ?, give_up_at = ?, finished_at = NULL
         WHERE site_id = ? AND id = ? AND state IN ('FAILED', 'UNKNOWN')`,
        now,
        now + GIVE_UP_MESSAGE_MS,
        siteId,
        id,
      );
      if (changed === 0) return undefined;
      await recordAudit(database, trail);
      return (await find(database, id))[0];
    },
  }),

  pruneMessages: prune("notification messages", async (database: Database, { before }: { before: Instant }) => {
    return await database.run(
      `DELETE FROM notification_message WHERE number IN
       (SELECT number FROM notification_message WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
  }),
};

/** Part of the change itself: what is watched is to be looked at. Only of sites that have a route. */
export async function watchChanges(
  database: Database,
  siteId: string,
  changed: readonly { readonly id: string; readonly deviceId: string | undefined }[],
): Promise<void> {
  if (changed.length === 0) return;
  const route = await database.get("SELECT 1 AS found FROM notification_route WHERE site_id = ? LIMIT 1", siteId);
  if (route === undefined) return;
  for (const { id, deviceId } of changed) {
    await database.run(
      `INSERT INTO notification_watch (id, site_id, device_id, next_at, revision) VALUES (?, ?, ?, 0, 0)
       ON CONFLICT (id) DO UPDATE SET next_at = 0, revision = notification_watch.revision + 1`,
      id,
      siteId,
      deviceId ?? null,
    );
  }
}

async function find(database: Database, id: string): Promise<readonly Message[]> {
  const sql = `SELECT ${MESSAGE_COLUMNS} FROM notification_message WHERE id = ?`;
  return readMessages(database, await database.all(sql, id));
}

async function queue(
  database: Database,
  { siteId, now }: StoredPlan,
  { id, channelId, content }: StoredPlan["messages"][number],
): Promise<void> {
  if ((await database.get("SELECT 1 AS found FROM notification_channel WHERE id = ?", channelId)) === undefined) return;
  const open = "SELECT count(*) AS total FROM notification_message WHERE channel_id = ? AND finished_at IS NULL";
  const isFull = number(await database.one(open, channelId), "total") >= MOST_WAITING;
  await database.run(
    `INSERT INTO notification_message
       (id, site_id, channel_id, content, state, attempts, history, queued_at, next_attempt_at, give_up_at, error, finished_at)
     VALUES (?, ?, ?, ?, ?, 0, '[]', ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    id,
    siteId,
    channelId,
    JSON.stringify(content),
    isFull ? "FAILED" : "WAITING",
    now,
    isFull ? null : now,
    now + GIVE_UP_MESSAGE_MS,
    isFull ? "too many messages wait for this channel" : null,
    isFull ? now : null,
  );
}
