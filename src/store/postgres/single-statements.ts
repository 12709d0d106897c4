// Writes that take one statement, their lock included, and so no transaction around it. A command for a device at another
// node waits for one of them.
import { lockNumber } from "./lock-number.ts";
import type { Write } from "./run-writes.ts";

interface SingleStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * If the row has changed while the lock was waited for, PostgreSQL looks at the condition again, for the row as it is then.
 */
const MARK = `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock($3::bigint))
  UPDATE execution SET attempted = 1 FROM locked WHERE id = $1 AND device_id = $2 AND attempted = 0 AND is_open = 1`;

/** Undefined for a write that takes more. */
export function singleStatement({ name, input, keys }: Write): SingleStatement | undefined {
  const [key] = keys;
  if (name !== "markAttempted" || key === undefined) return undefined;
  const { id, deviceId } = input as { readonly id: string; readonly deviceId?: string };
  if (deviceId === undefined) return undefined;
  return { name: "mark", text: MARK, values: [id, deviceId, String(lockNumber(key))] };
}
