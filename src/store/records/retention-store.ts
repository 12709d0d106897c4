import type { RetentionStore } from "#service/ports/site-store.ts";
import type { Database } from "#store/database.ts";
import { parseRules } from "./retention-row.ts";
import type { Writer } from "./writer.ts";

export function createRetentionStore(reader: Database, writer: Writer): RetentionStore {
  return {
    get: async (siteId) =>
      parseRules(
        await reader.all(
          "SELECT attribute, kept FROM telemetry_retention WHERE site_id = ? ORDER BY attribute",
          siteId,
        ),
      ),
    put: (siteId, retention, trail) => writer.run("putRetention", { siteId, retention, trail }),
  };
}
