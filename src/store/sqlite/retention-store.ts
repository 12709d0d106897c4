import type { RetentionStore } from "#service/ports/site-store.ts";
import type { Connection } from "./connection.ts";
import { parseRules } from "./retention-row.ts";
import type { Writer } from "./writer.ts";

export function createRetentionStore(reader: Connection, writer: Writer): RetentionStore {
  return {
    get: async (siteId) =>
      parseRules(
        reader.all("SELECT attribute, kept FROM telemetry_retention WHERE site_id = ? ORDER BY attribute", siteId),
      ),
    put: (siteId, retention, trail) => writer.run("putRetention", { siteId, retention, trail }),
  };
}
