import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import {
  type GatewayChange,
  MAX_PENDING_CHANGE_BYTES,
  MAX_PENDING_CHANGES,
  type Withdrawn,
} from "#core/link/asked-change.ts";
import { rolloutRequest } from "#core/rollout/rollout.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Settlement, Withdrawal } from "#service/ports/change-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { CHANGE_COLUMNS } from "./change-row.ts";
import { addEvent } from "./event-writes.ts";
import { number } from "./row.ts";
import { Where } from "./where.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

interface PrunedChanges {
  readonly before: Instant;
  readonly renewalsBefore: Instant;
}

/** Changes that a cloud asks its gateways for. */
export const changeWrites = {
  askChange: write({
    locks: ({ change, rolloutId }) => [
      `changes of ${change.gatewayId}`,
      ...(rolloutId === undefined ? [] : [`rollout ${rolloutId}`]),
    ],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      {
        change,
        trail,
        rolloutId,
      }: { change: GatewayChange; trail: AuditEntry | undefined; rolloutId: string | undefined },
    ) {
      const revoked = "SELECT 1 AS found FROM gateway WHERE id = ? AND revoked_at IS NOT NULL";
      if ((await database.get(revoked, change.gatewayId)) !== undefined) {
        throw refuse("owned_by_gateway", "the access of the site's gateway was revoked meanwhile");
      }
      if (rolloutId !== undefined) await requireAssigning(database, rolloutId, change.deviceId);
      const waiting = await database.one(
        "SELECT count(*) AS waiting, coalesce(sum(length(sealed)), 0) AS size FROM gateway_change WHERE gateway_id = ? AND state = 'PENDING'",
        change.gatewayId,
      );
      const size = number(waiting, "size") + change.sealed.length;
      if (number(waiting, "waiting") >= MAX_PENDING_CHANGES || size > MAX_PENDING_CHANGE_BYTES) {
        throw refuse("queue_full", "too many changes wait for the gateway of the site");
      }
      await database.run(
        `INSERT INTO gateway_change (${CHANGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', NULL, NULL)`,
        change.id,
        change.gatewayId,
        await database.nextChange(),
        change.siteId,
        change.deviceId ?? null,
        change.operation,
        change.sealed,
        JSON.stringify(change.base),
        JSON.stringify(change.shown),
        change.askedBy.tokenId,
        change.askedBy.name,
        change.requestId,
        change.createdAt,
        change.awaitedUntil,
        change.leaseUntil ?? null,
      );
      if (trail !== undefined) await recordAudit(database, trail);
    },
  }),

  settleChange: write({
    locks: ({ id }) => [`change ${id}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { id, settlement }: { id: string; settlement: Settlement }) {
      const { outcome, at, rebased, events } = settlement;
      const changed = await database.run(
        "UPDATE gateway_change SET state = ?, settled_at = ?, outcome = ?, sealed = ? WHERE id = ? AND state IN ('PENDING', 'WITHDRAWN')",
        outcome.state,
        at,
        JSON.stringify(outcome),
        NOTHING,
        id,
      );
      if (changed === 0) return false;
      for (const { id: follower, base } of rebased) {
        await database.run("UPDATE gateway_change SET base = ? WHERE id = ?", JSON.stringify(base), follower);
      }
      for (const event of events) await addEvent(database, event);
      return true;
    },
  }),

  withdrawChange: write({
    locks: ({ id }) => [`change ${id}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { id, withdrawal }: { id: string; withdrawal: Withdrawal }) {
      const changed = await database.run(
        "UPDATE gateway_change SET state = 'WITHDRAWN', settled_at = ?, outcome = ?, sealed = ? WHERE id = ? AND state = 'PENDING'",
        withdrawal.at,
        JSON.stringify({ state: "WITHDRAWN", isByRollout: false } satisfies Withdrawn),
        NOTHING,
        id,
      );
      if (changed === 0) return false;
      for (const event of withdrawal.events) await addEvent(database, event);
      await recordAudit(database, withdrawal.trail);
      return true;
    },
  }),

  pruneChanges: prune("changes", async (database: Database, { before, renewalsBefore }: PrunedChanges) => {
    return await database.run(
      `DELETE FROM gateway_change WHERE id IN (SELECT id FROM gateway_change
         WHERE settled_at < ? OR (settled_at < ? AND operation = 'renewClaim') ORDER BY settled_at LIMIT ${PRUNE_AT_ONCE})`,
      before,
      renewalsBefore,
    );
  }),
};

/** Somebody may have stopped the roll-out meanwhile: what is stored afterwards would not be withdrawn. */
async function requireAssigning(database: Database, rolloutId: string, deviceId: string | undefined): Promise<void> {
  const found = await database.get(
    `SELECT 1 AS found FROM rollout JOIN rollout_device ON rollout_device.rollout_id = rollout.id
     WHERE rollout.id = ? AND rollout.state = 'RUNNING' AND device_id = ? AND rollout_device.state = 'ASSIGNING'`,
    rolloutId,
    deviceId ?? "",
  );
  if (found === undefined) throw refuse("conflict", "the roll-out does not give the device its blueprint any more");
}

/** Withdraws what waits of a roll-out: for all its devices, or for some. */
export async function withdrawRolloutChanges(
  database: Database,
  { id, at, deviceIds }: { id: string; at: Instant; deviceIds?: readonly string[] },
): Promise<void> {
  const where = new Where()
    .and("request_id = ? AND operation = 'assignBlueprint' AND state = 'PENDING'", rolloutRequest(id))
    .andIn("device_id", deviceIds);
  await database.run(
    `UPDATE gateway_change SET state = 'WITHDRAWN', settled_at = ?, outcome = ?, sealed = ?${where.sql}`,
    at,
    JSON.stringify({ state: "WITHDRAWN", isByRollout: true } satisfies Withdrawn),
    NOTHING,
    ...where.values,
  );
}

/** What is settled need not be sent again. */
const NOTHING = new Uint8Array();

/** Nobody makes these changes any more: all that wait for the gateway, or those of one site. */
export async function refuseChanges(
  database: Database,
  refusal: { readonly gatewayId: string; readonly siteId?: string; readonly at: Instant; readonly reason: string },
): Promise<void> {
  const where = new Where().and("gateway_id = ?", refusal.gatewayId).and("state = 'PENDING'");
  if (refusal.siteId !== undefined) where.and("site_id = ?", refusal.siteId);
  const outcome = { state: "REFUSED", errors: [{ code: "owned_by_gateway", message: refusal.reason }] };
  await database.run(
    `UPDATE gateway_change SET state = 'REFUSED', settled_at = ?, outcome = ?, sealed = ?${where.sql}`,
    refusal.at,
    JSON.stringify(outcome),
    NOTHING,
    ...where.values,
  );
}
