import { refuse } from "#core/app-error.ts";
import type { Execution } from "#core/command/execution.ts";
import type { Idempotency } from "#service/ports/execution-store.ts";
import type { Database } from "#store/database.ts";
import { findExecution } from "./execution-row.ts";
import { bytes, text, time } from "./row.ts";

const FIND =
  "SELECT request_digest, execution_id, expires_at FROM idempotency WHERE token_id = ? AND device_id = ? AND key = ?";

/** The execution for which the key was used before. Another request with the same key is refused. */
export async function findEarlier(
  database: Database,
  execution: Pick<Execution, "deviceId" | "createdAt">,
  idempotency: Idempotency,
): Promise<Execution | undefined> {
  const key = [idempotency.tokenId, execution.deviceId, idempotency.key];
  let row = await database.get(FIND, ...key);
  if (row === undefined && database.spread !== undefined) {
    await database.spread.settle();
    row = await database.get(FIND, ...key);
  }
  if (row === undefined || time(row, "expires_at") <= execution.createdAt) return undefined;
  if (!Buffer.from(bytes(row, "request_digest")).equals(idempotency.requestDigest)) {
    throw refuse("idempotency_conflict", "this idempotency key was used for another request to the device");
  }
  return (await findExecution(database, text(row, "execution_id"), execution.deviceId))?.execution;
}
