import { createHash } from "node:crypto";

/** The number by which PostgreSQL knows the lock. Two keys with one number only wait for each other needlessly. */
export function lockNumber(key: string): bigint {
  return createHash("sha1").update(key).digest().readBigInt64BE();
}
