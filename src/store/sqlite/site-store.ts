import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { Location, Site, SiteChange } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { SiteStore } from "#service/ports/site-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "id, name, timezone, location, created_at, updated_at";

export function createSiteStore(reader: Connection, writer: Writer, lists: Lists): SiteStore {
  return {
    insert: (site, trail) => writer.run("insertSite", { site, trail }),
    find: async (id) => findSite(reader, id),
    list: async (scope, page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "site",
        where: new Where().andInScope("id", scope),
        order: "id",
        read: (row) => readSite(reader, row),
      }),
    update: (id, change, trail) => writer.run("updateSite", { id, change, trail }),
    delete: (id, trail) => writer.run("deleteSite", { id, trail }),
  };
}

export const siteWrites = {
  insertSite(database: Connection, { site, trail }: { site: Site; trail: AuditEntry }): void {
    database.run(
      `INSERT INTO site (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
      site.id,
      site.name,
      site.timezone,
      renderLocation(site.location),
      site.createdAt,
      site.updatedAt,
    );
    recordAudit(database, trail);
  },

  updateSite(
    database: Connection,
    { id, change, trail }: { id: string; change: SiteChange & { updatedAt: Instant }; trail: AuditEntry },
  ): Site | undefined {
    const before = findSite(database, id);
    if (before === undefined) return undefined;
    const { location, ...rest } = { ...before, ...change };
    const site = { ...rest, ...(location !== undefined && { location }) };
    database.run(
      "UPDATE site SET name = ?, timezone = ?, location = ?, updated_at = ? WHERE id = ?",
      site.name,
      site.timezone,
      renderLocation(site.location),
      site.updatedAt,
      id,
    );
    recordAudit(database, trail);
    return site;
  },

  deleteSite(database: Connection, { id, trail }: { id: string; trail: AuditEntry }): boolean {
    if (database.get("SELECT 1 FROM device WHERE site_id = ? LIMIT 1", id) !== undefined) {
      throw refuse("conflict", "the site still has devices; delete them first");
    }
    if (database.run("DELETE FROM site WHERE id = ?", id) === 0) return false;
    recordAudit(database, trail);
    return true;
  },
};

function findSite(database: Connection, id: string): Site | undefined {
  const row = database.get(`SELECT ${COLUMNS} FROM site WHERE id = ?`, id);
  return row && readSite(database, row);
}

function readSite(database: Connection, row: Row): Site {
  const location =
    row["location"] === null ? undefined : storedJson({ database, table: "site", row }, "location", isLocation);
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    timezone: text(row, "timezone"),
    ...(location !== undefined && { location }),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

function isLocation(value: unknown): value is Location {
  if (!isObject(value) || typeof value["name"] !== "string") return false;
  return [value["latitude"], value["longitude"]].every((one) => one === undefined || Number.isFinite(one));
}

function renderLocation(location: Location | undefined): string | null {
  return location === undefined ? null : JSON.stringify(location);
}
