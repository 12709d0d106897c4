import type { WriteDatabase } from "#store/database.ts";
import type { Connection } from "./connection.ts";
import { latestChange } from "./execution-row.ts";

/** The connection for writes. */
export function createRecordWriter(connection: Connection): WriteDatabase {
  let lastChange: number | undefined;
  return {
    get: (sql, ...values) => connection.get(sql, ...values),
    one: (sql, ...values) => connection.one(sql, ...values),
    all: (sql, ...values) => connection.all(sql, ...values),
    run: (sql, ...values) => connection.run(sql, ...values),
    onDamaged: (place) => connection.onDamaged(place),
    async nextChange() {
      // Read once, because only one connection writes.
      lastChange ??= await latestChange(connection, Number.MAX_SAFE_INTEGER);
      lastChange++;
      return lastChange;
    },
  };
}
