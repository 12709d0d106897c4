import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type BulkCommand, type BulkMember, MAX_BULKS, MAX_BULKS_OF_TOKEN } from "#core/bulk/bulk-command.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { MemberChange, NewBulk } from "#service/ports/bulk-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { BULK_COLUMNS, findBulk, MEMBER_COLUMNS } from "./bulk-row.ts";
import { addEvent } from "./event-writes.ts";
import { bytes, number, text } from "./row.ts";
import { NOBODY, prune, write } from "./write.ts";

/** Each has thousands of members. */
const PRUNED_AT_ONCE = 5;
const bulkLock = ({ id }: { readonly id: string }) => [`bulk ${id}`];

export const bulkWrites = {
  insertBulk: write({
    locks: ["bulks"],
    informs: NOBODY,
    fromReserve: false,
    run: (database: WriteDatabase, { input, trail }: { input: NewBulk; trail: AuditEntry }) =>
      insertBulkRows(database, input, trail),
  }),

  putBulkMembers: write({
    locks: bulkLock,
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { id, changes, events }: { id: string; changes: readonly MemberChange[]; events: readonly PreparedEvent[] },
    ): Promise<readonly BulkMember[]> {
      const bulk = await findBulk(database, id);
      const changed: BulkMember[] = [];
      for (const { from, to } of changes) {
        if (from === "WAITING" && bulk?.state !== "RUNNING") continue;
        const rows = await database.run(
          `UPDATE bulk_member SET state = ?, execution_id = ?, begun_at = ?, code = ?, message = ?
           WHERE bulk_id = ? AND place = ? AND state = ?`,
          to.state,
          to.executionId ?? null,
          to.begunAt ?? null,
          to.code ?? null,
          to.message ?? null,
          id,
          to.place,
          from,
        );
        if (rows > 0) changed.push(to);
      }
      for (const event of events) await addEvent(database, event);
      return changed;
    },
  }),

  turnBulk: write({
    locks: bulkLock,
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      {
        id,
        turn,
        trail,
      }: { id: string; turn: Pick<BulkCommand, "reason"> & { to: string }; trail?: AuditEntry | undefined },
    ): Promise<BulkCommand | undefined> {
      const turned = await database.run(
        "UPDATE bulk_command SET state = ?, reason = ? WHERE id = ? AND state = 'RUNNING'",
        turn.to,
        turn.reason ?? null,
        id,
      );
      if (turned === 0) return undefined;
      await database.run("UPDATE bulk_member SET state = 'SKIPPED' WHERE bulk_id = ? AND state = 'WAITING'", id);
      if (trail !== undefined) await recordAudit(database, trail);
      return await findBulk(database, id);
    },
  }),

  endBulk: write({
    locks: bulkLock,
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { id, at, event }: { id: string; at: Instant; event: PreparedEvent | undefined },
    ): Promise<void> {
      // What was sealed is needed no more.
      const sql =
        "UPDATE bulk_command SET ended_at = ?, sealed = ? WHERE id = ? AND ended_at IS NULL AND state <> 'RUNNING'";
      const ended = await database.run(sql, at, new Uint8Array(), id);
      if (ended > 0 && event !== undefined) await addEvent(database, event);
    },
  }),

  pruneBulks: prune("bulk commands", async (database: Database, { before }: { before: Instant }) => {
    const rows = await database.all(
      "SELECT id FROM bulk_command WHERE ended_at < ? ORDER BY ended_at LIMIT ?",
      before,
      PRUNED_AT_ONCE,
    );
    for (const row of rows) await database.run("DELETE FROM bulk_command WHERE id = ?", text(row, "id"));
    return rows.length;
  }),
};

async function findEarlier(database: Database, { bulk, idempotency }: NewBulk): Promise<BulkCommand | undefined> {
  if (idempotency === undefined) return undefined;
  const row = await database.get(
    "SELECT id, request_digest FROM bulk_command WHERE token_id = ? AND idempotency_key = ?",
    bulk.createdBy.tokenId,
    idempotency.key,
  );
  if (row === undefined) return undefined;
  if (!Buffer.from(bytes(row, "request_digest")).equals(idempotency.digest)) {
    throw refuse("idempotency_conflict", "this idempotency key was used for another bulk command");
  }
  return await findBulk(database, text(row, "id"));
}

async function requireRoom(database: Database, tokenId: string): Promise<void> {
  const row = await database.one(
    `SELECT count(*) AS total, coalesce(sum(CASE WHEN token_id = ? THEN 1 ELSE 0 END), 0) AS own
     FROM bulk_command WHERE ended_at IS NULL`,
    tokenId,
  );
  if (number(row, "own") >= MAX_BULKS_OF_TOKEN) {
    throw refuse("queue_full", `${MAX_BULKS_OF_TOKEN} bulk commands of this token still run; wait for one to end`);
  }
  if (number(row, "total") >= MAX_BULKS) {
    throw refuse("queue_full", `${MAX_BULKS} bulk commands still run; wait for one to end`);
  }
}

async function insertMember(database: Database, id: string, member: BulkMember): Promise<void> {
  await database.run(
    `INSERT INTO bulk_member (bulk_id, ${MEMBER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    member.place,
    member.device,
    member.deviceId ?? null,
    member.siteId ?? null,
    member.state,
    member.executionId ?? null,
    member.begunAt ?? null,
    member.code ?? null,
    member.message ?? null,
  );
}

/** A schedule begins one in its own transaction. */
export async function insertBulkRows(database: WriteDatabase, input: NewBulk, trail: AuditEntry): Promise<BulkCommand> {
  const { bulk, members, idempotency } = input;
  const earlier = await findEarlier(database, input);
  if (earlier !== undefined) return earlier;
  await requireRoom(database, bulk.createdBy.tokenId);
  await database.run(
    `INSERT INTO bulk_command (${BULK_COLUMNS}, sealed, idempotency_key, request_digest)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    bulk.id,
    bulk.name,
    JSON.stringify(bulk.shown),
    bulk.rate,
    bulk.parallel,
    bulk.stopAfter ?? null,
    bulk.state,
    bulk.reason ?? null,
    bulk.createdBy.tokenId,
    bulk.createdBy.tokenName,
    bulk.createdAt,
    bulk.endedAt ?? null,
    bulk.scheduleId ?? null,
    bulk.door ?? null,
    input.sealed,
    idempotency?.key ?? null,
    idempotency?.digest ?? null,
  );
  for (const member of members) await insertMember(database, bulk.id, member);
  await recordAudit(database, trail);
  return bulk;
}
