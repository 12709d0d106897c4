// Whether the databases of a data folder hold what an installation has at least. A missing file, one of 0 bytes and one
// that has lost its log are all the same to SQLite: a new database.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "./connection.ts";

/** What is missing, as words; undefined when it is there. */
export function whatRecordsLack(data: string): string | undefined {
  return whatFileLacks(join(data, "records.db"), (records) => records.all("SELECT 1 FROM migration").length > 0);
}

export function whatTelemetryLacks(data: string): string | undefined {
  return whatFileLacks(
    join(data, "telemetry.db"),
    (telemetry) => Number(telemetry.one("PRAGMA user_version")["user_version"]) > 0,
  );
}

function whatFileLacks(file: string, hasContent: (database: Connection) => boolean): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return "is missing";
  if (size === 0) return "is empty (0 bytes)";
  try {
    const database = new Connection(file, "read", 1);
    try {
      if (database.all("SELECT 1 FROM sqlite_schema LIMIT 1").length > 0 && hasContent(database)) return undefined;
      return existsSync(`${file}-wal`) ? "holds no tables" : "holds no tables; its -wal file may have been left behind";
    } finally {
      database.close();
    }
  } catch {
    // Damage is reported where the file is opened for use.
    return undefined;
  }
}
