import type { AuditEntry } from "#core/access/audit-entry.ts";
import { parseRetention, type Retention, type SiteRetention } from "#core/telemetry/retention.ts";
import type { RetentionStore } from "#service/ports/site-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import { text } from "./row.ts";
import type { Writer } from "./writer.ts";

/** Stands for every attribute without a rule of its own. */
const OTHERS = "";

export function createRetentionStore(reader: Connection, writer: Writer): RetentionStore {
  return {
    get: async (siteId) =>
      readRetention(
        reader.all("SELECT attribute, kept FROM telemetry_retention WHERE site_id = ? ORDER BY attribute", siteId),
      ),
    put: (siteId, retention, trail) => writer.run("putRetention", { siteId, retention, trail }),
  };
}

export const retentionWrites = {
  putRetention(
    database: Connection,
    { siteId, retention, trail }: { siteId: string; retention: SiteRetention; trail: AuditEntry },
  ): void {
    database.run("DELETE FROM telemetry_retention WHERE site_id = ?", siteId);
    const rules: [string, Retention][] = [...retention.attributes];
    if (retention.fallback !== undefined) rules.push([OTHERS, retention.fallback]);
    for (const [attribute, kept] of rules) {
      database.run(
        "INSERT INTO telemetry_retention (site_id, attribute, kept) VALUES (?, ?, ?)",
        siteId,
        attribute,
        kept,
      );
    }
    recordAudit(database, trail);
  },
};

function readRetention(rows: readonly Row[]): SiteRetention {
  const rules = new Map(
    rows.flatMap((row): [string, Retention][] => {
      const kept = parseRetention(text(row, "kept"));
      return kept === undefined ? [] : [[text(row, "attribute"), kept]];
    }),
  );
  const fallback = rules.get(OTHERS);
  rules.delete(OTHERS);
  return { fallback, attributes: rules };
}
