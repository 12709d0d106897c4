import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Retention, SiteRetention } from "#core/telemetry/retention.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { OTHERS } from "./retention-row.ts";
import { NOBODY, write } from "./write.ts";

export const retentionWrites = {
  putRetention: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { siteId, retention, trail }: { siteId: string; retention: SiteRetention; trail: AuditEntry },
    ) {
      await database.run("DELETE FROM telemetry_retention WHERE site_id = ?", siteId);
      const rules: [string, Retention][] = [...retention.attributes];
      if (retention.fallback !== undefined) rules.push([OTHERS, retention.fallback]);
      for (const [attribute, kept] of rules) {
        await database.run(
          "INSERT INTO telemetry_retention (site_id, attribute, kept) VALUES (?, ?, ?)",
          siteId,
          attribute,
          kept,
        );
      }
      await recordAudit(database, trail);
    },
  }),
};
