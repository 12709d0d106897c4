import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Location, Site, SiteChange } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { marked } from "./link-marks.ts";
import { requireDeletableHere, requireOwnedHere } from "./require-owned-here.ts";
import { findSite, SITE_COLUMNS } from "./site-row.ts";
import { write } from "./write.ts";

export const siteWrites = {
  insertSite: write({
    locks: ({ site }) => [`site ${site.id}`],
    informs: { cloud: ({ site }) => marked("site", site.id), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { site, trail }: { site: Site; trail: AuditEntry }) {
      await database.run(
        `INSERT INTO site (${SITE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        site.id,
        site.name,
        site.timezone,
        Number(site.timezoneAssumed === true),
        renderLocation(site.location),
        site.createdAt,
        site.updatedAt,
      );
      await recordAudit(database, trail);
    },
  }),

  updateSite: write({
    locks: ({ id }) => [`site ${id}`],
    informs: { cloud: ({ id }) => marked("site", id), nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { id, change, trail }: { id: string; change: SiteChange & { updatedAt: Instant }; trail: AuditEntry },
    ) {
      const before = await findSite(database, id);
      if (before === undefined) return undefined;
      await requireOwnedHere(database, id);
      const { location, timezoneAssumed, ...rest } = { ...before, ...change };
      const site = {
        ...rest,
        ...(timezoneAssumed === true && change.timezone === undefined && { timezoneAssumed }),
        ...(location !== undefined && { location }),
      };
      await database.run(
        "UPDATE site SET name = ?, timezone = ?, timezone_assumed = ?, location = ?, updated_at = ? WHERE id = ?",
        site.name,
        site.timezone,
        Number(site.timezoneAssumed === true),
        renderLocation(site.location),
        site.updatedAt,
        id,
      );
      await recordAudit(database, trail);
      return site;
    },
  }),

  deleteSite: write({
    locks: ({ id }) => ["device tree", `site ${id}`],
    informs: { cloud: ({ id }) => marked("site", id), nodes: undefined },
    fromReserve: true,
    async run(database: WriteDatabase, { id, trail }: { id: string; trail: AuditEntry }) {
      if ((await database.get("SELECT 1 FROM device WHERE site_id = ? LIMIT 1", id)) !== undefined) {
        throw refuse("conflict", "the site still has devices; delete them first");
      }
      await requireDeletableHere(database, id);
      return await recordIfChanged(database, trail, await database.run("DELETE FROM site WHERE id = ?", id));
    },
  }),
};

export function renderLocation(location: Location | undefined): string | null {
  return location === undefined ? null : JSON.stringify(location);
}
