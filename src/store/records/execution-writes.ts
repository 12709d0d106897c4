import type { AuditEntry } from "#core/access/audit-entry.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { type Arrival, type Execution, hasEnded, isOpen, withResponse, withTimeout } from "#core/command/execution.ts";
import { ENTRY_BYTES, MAX_LOG_BYTES } from "#core/command/log-limits.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { executionEvent } from "#core/event/event.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Idempotency, NewExecution } from "#service/ports/execution-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { addEvent } from "./event-writes.ts";
import { findExecution, renderPayload } from "./execution-row.ts";
import { SPANS } from "./execution-spans.ts";
import { bytes, number, text, time } from "./row.ts";

const SWEEP_AT_ONCE = 500;

export const executionWrites = {
  /** If the idempotency key was used before, returns the earlier execution and stores nothing. */
  async insertExecution(
    database: WriteDatabase,
    { input, trail }: { input: NewExecution; trail: AuditEntry },
  ): Promise<Execution | undefined> {
    const { execution, idempotency } = input;
    const earlier = idempotency && (await findEarlier(database, execution, idempotency));
    if (earlier !== undefined) return earlier;
    const shown = JSON.stringify(execution.request.arguments);
    const bytes = Buffer.byteLength(shown) + (input.sealed?.byteLength ?? 0);
    await requireRoom(database, input, bytes);
    const change = await database.nextChange();
    await database.run(
      `INSERT INTO execution (id, group_id, site_id, device_id, created_at, arguments, sealed, attempted, is_open, deadline, bytes,
         revision, changed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)`,
      execution.id,
      await count(database, execution, 1),
      execution.siteId,
      execution.deviceId,
      execution.createdAt,
      shown,
      input.sealed ?? null,
      input.attempted ? 1 : 0,
      execution.deadline,
      bytes,
      execution.revision,
      change,
    );
    if (idempotency !== undefined) await putIdempotency(database, execution, idempotency);
    await recordAudit(database, trail);
    await addEvent(database, executionEvent(execution), change);
    return undefined;
  },

  async markAttempted(database: Database, { id }: { id: string }): Promise<boolean> {
    return (
      (await database.run("UPDATE execution SET attempted = 1 WHERE id = ? AND attempted = 0 AND is_open = 1", id)) ===
      1
    );
  },

  async unmarkAttempted(database: Database, { id }: { id: string }): Promise<void> {
    await database.run(
      "UPDATE execution SET attempted = 0 WHERE id = ? AND is_open = 1 AND response_state IS NULL",
      id,
    );
  },

  async recordResponse(
    database: WriteDatabase,
    { deviceId, id, arrival }: { deviceId: string; id: string; arrival: Arrival & { repeated: boolean } },
  ): Promise<Execution | undefined> {
    const before = (await findExecution(database, id))?.execution;
    if (before?.deviceId !== deviceId || (await isRepetition(database, id, arrival))) return undefined;
    const after = withResponse(before, arrival);
    if (after === undefined) return undefined;
    const payload = renderPayload(after.response.payload);
    const { change, logBytes } = await replace(database, {
      before,
      after,
      logged: Buffer.byteLength(payload ?? "") + ENTRY_BYTES,
    });
    if (logBytes > MAX_LOG_BYTES) await makeLogRoom(database, id, logBytes);
    await database.run(
      "INSERT INTO execution_response (execution_id, received_at, state, payload, revision, changed) VALUES (?, ?, ?, ?, ?, ?)",
      id,
      after.response.receivedAt,
      arrival.state,
      payload,
      after.revision,
      change,
    );
    return after;
  },

  async expireExecution(
    database: WriteDatabase,
    { id, deadline }: { id: string; deadline: Instant },
  ): Promise<Execution | undefined> {
    const before = (await findExecution(database, id))?.execution;
    // A different deadline means that the device was heard from since.
    if (before?.deadline !== deadline) return undefined;
    const after = withTimeout(before);
    if (after !== undefined) await replace(database, { before, after, logged: 0 });
    return after;
  },

  async sweepExecutions(database: Database, { now }: { now: Instant }): Promise<number> {
    const rows = await database.all(
      `SELECT e.id FROM execution_group g JOIN execution e ON e.group_id = g.id
       WHERE g.ephemeral = 1 AND e.created_at <= ? LIMIT ?`,
      now - EPHEMERAL_LIFETIME_MS,
      SWEEP_AT_ONCE,
    );
    for (const row of rows) {
      const execution = (await findExecution(database, text(row, "id")))?.execution;
      if (execution === undefined) continue;
      await count(database, execution, -1);
      await database.run("DELETE FROM execution WHERE id = ?", execution.id);
    }
    const keys = await database.run(
      `DELETE FROM idempotency WHERE (token_id, device_id, key) IN
       (SELECT token_id, device_id, key FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
      now,
      SWEEP_AT_ONCE,
    );
    return rows.length + keys;
  },
};

/** Changes the counters of the execution's group and gives the group's id. */
export async function count(database: Database, execution: Execution, by: 1 | -1): Promise<number> {
  const row = await database.get(
    `INSERT INTO execution_group (site_id, device_id, name, manifest_name, state, ephemeral, read_level, total)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1)
     ON CONFLICT (device_id, name, manifest_name, state, ephemeral, read_level) DO UPDATE SET total = execution_group.total + ?
     RETURNING id`,
    execution.siteId,
    execution.deviceId,
    execution.request.name,
    execution.request.manifestName,
    execution.state,
    execution.ephemeral ? 1 : 0,
    ACCESS_LEVELS.indexOf(execution.readLevel),
    by,
  );
  const group = row === undefined ? 0 : number(row, "id");
  if (isOpen(execution.state)) return group;
  for (const { table, column, ms } of SPANS) {
    const span = Math.floor(execution.createdAt / ms);
    const counted = await database.get(
      `INSERT INTO ${table} (group_id, ${column}, count) VALUES (?, ?, 1)
       ON CONFLICT (group_id, ${column}) DO UPDATE SET count = ${table}.count + ? RETURNING count`,
      group,
      span,
      by,
    );
    // Otherwise ephemeral executions would leave a row per command and hour behind for ever.
    if (counted?.["count"] === 0) {
      await database.run(`DELETE FROM ${table} WHERE group_id = ? AND ${column} = ?`, group, span);
    }
  }
  return group;
}

/** An open execution is counted by its group alone, which its row names: finding the group by that is quicker. */
async function leaveGroup(database: Database, execution: Execution): Promise<void> {
  if (!isOpen(execution.state)) await count(database, execution, -1);
  else {
    const group = "(SELECT group_id FROM execution WHERE id = ?)";
    await database.run(`UPDATE execution_group SET total = total - 1 WHERE id = ${group}`, execution.id);
  }
}

interface Replacement {
  readonly before: Execution;
  readonly after: Execution;
  /** Bytes of the entry that the log gets with this change. */
  readonly logged: number;
}

/** Adds the event, and gives the number of the change and how many bytes the log holds from now on. */
export async function replace(
  database: WriteDatabase,
  { before, after, logged }: Replacement,
): Promise<{ readonly change: number; readonly logBytes: number }> {
  const moved = before.state !== after.state;
  if (moved) await leaveGroup(database, before);
  const group = moved ? await count(database, after, 1) : null;
  const change = await database.nextChange();
  const row = await database.one(
    `UPDATE execution SET group_id = coalesce(?, group_id), is_open = ?, deadline = ?, response_state = ?, response_payload = ?,
       received_at = ?, sealed = CASE WHEN ? = 1 THEN NULL ELSE sealed END, revision = ?, is_remote = ?,
       changed = ?, log_bytes = log_bytes + ? WHERE id = ? RETURNING log_bytes`,
    group,
    isOpen(after.state) && !after.isRemote ? 1 : 0,
    after.deadline,
    after.response?.state ?? null,
    renderPayload(after.response?.payload),
    after.response?.receivedAt ?? null,
    hasEnded(after.state) ? 1 : 0,
    after.revision,
    after.isRemote ? 1 : 0,
    change,
    logged,
    after.id,
  );
  await addEvent(database, executionEvent(after), change);
  return { change, logBytes: number(row, "log_bytes") };
}

/** The oldest entries between start and end go until the log fits, and are counted. */
async function makeLogRoom(database: Database, id: string, logBytes: number): Promise<void> {
  let excess = logBytes - MAX_LOG_BYTES;
  while (excess > 0) {
    const oldest = await database.get(
      `SELECT received_at, coalesce(octet_length(payload), 0) + ${ENTRY_BYTES} AS bytes FROM execution_response
       WHERE execution_id = ? AND state = 'IN_PROGRESS' ORDER BY received_at LIMIT 1`,
      id,
    );
    if (oldest === undefined) return;
    const at = number(oldest, "received_at");
    await database.run("DELETE FROM execution_response WHERE execution_id = ? AND received_at = ?", id, at);
    await database.run(
      "UPDATE execution SET log_bytes = log_bytes - ?, left_out = left_out + 1, left_out_at = ? WHERE id = ?",
      number(oldest, "bytes"),
      at,
      id,
    );
    excess -= number(oldest, "bytes");
  }
}

/** A carrier that delivers at least once may repeat answers, several of them and in their order. */
async function isRepetition(
  database: Database,
  id: string,
  arrival: Arrival & { readonly repeated: boolean },
): Promise<boolean> {
  if (!arrival.repeated) return false;
  const row = await database.get(
    "SELECT 1 AS found FROM execution_response WHERE execution_id = ? AND state = ? AND payload IS NOT DISTINCT FROM ? LIMIT 1",
    id,
    arrival.state,
    renderPayload(arrival.payload),
  );
  return row !== undefined;
}

async function requireRoom(database: Database, input: NewExecution, more: number): Promise<void> {
  const row = await database.get(
    "SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM execution WHERE device_id = ? AND is_open = 1",
    input.execution.deviceId,
  );
  if (row === undefined) return;
  const count = number(row, "count");
  if (count >= input.maxOpen) {
    throw refuse("queue_full", `${count} executions of this device are still open; wait for some to end`);
  }
  const bytes = number(row, "bytes") + more;
  if (bytes > input.maxOpenBytes) {
    const message = `the arguments of this device's open executions would hold ${bytes} bytes, more than ${input.maxOpenBytes}; wait for some to end`;
    throw refuse("queue_full", message);
  }
}

async function findEarlier(
  database: Database,
  execution: Execution,
  idempotency: Idempotency,
): Promise<Execution | undefined> {
  const row = await database.get(
    "SELECT request_digest, execution_id, expires_at FROM idempotency WHERE token_id = ? AND device_id = ? AND key = ?",
    idempotency.tokenId,
    execution.deviceId,
    idempotency.key,
  );
  if (row === undefined || time(row, "expires_at") <= execution.createdAt) return undefined;
  if (!Buffer.from(bytes(row, "request_digest")).equals(idempotency.requestDigest)) {
    throw refuse("idempotency_conflict", "this idempotency key was used for another request to the device");
  }
  return (await findExecution(database, text(row, "execution_id")))?.execution;
}

async function putIdempotency(database: Database, execution: Execution, idempotency: Idempotency): Promise<void> {
  await database.run(
    `INSERT INTO idempotency (token_id, device_id, key, request_digest, execution_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (token_id, device_id, key) DO UPDATE SET
       request_digest = excluded.request_digest, execution_id = excluded.execution_id, expires_at = excluded.expires_at`,
    idempotency.tokenId,
    execution.deviceId,
    idempotency.key,
    idempotency.requestDigest,
    execution.id,
    idempotency.expiresAt,
  );
}
