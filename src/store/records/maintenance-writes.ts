import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type MaintenanceWindow, MOST_WINDOWS } from "#core/alert/maintenance.ts";
import { refuse } from "#core/app-error.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { parseWindow, WINDOW_COLUMNS } from "./maintenance-row.ts";
import { number } from "./row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

interface Named {
  readonly siteId: string;
  readonly id: string;
  readonly now: Instant;
}

export const maintenanceWrites = {
  insertWindow: write({
    locks: ({ window }) => [`maintenance ${window.siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { window, trail }: { window: MaintenanceWindow; trail: AuditEntry }) {
      const { id, siteId, deviceId, from, until, reason, madeBy, madeAt } = window;
      await requirePlace(database, siteId, deviceId);
      const row = await database.one(
        "SELECT count(*) AS total FROM maintenance_window WHERE site_id = ? AND ends_at > ?",
        siteId,
        madeAt,
      );
      if (number(row, "total") >= MOST_WINDOWS)
        throw refuse("conflict", `the site has ${MOST_WINDOWS} maintenance windows already; end some first`);
      await database.run(
        `INSERT INTO maintenance_window (${WINDOW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        siteId,
        deviceId ?? null,
        from,
        until,
        reason ?? null,
        madeBy.tokenId,
        madeBy.name,
        madeAt,
      );
      await recordAudit(database, trail);
    },
  }),

  endWindow: write({
    locks: ({ named }) => [`maintenance ${named.siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { named: { siteId, id, now }, trail }: { named: Named; trail: AuditEntry },
    ): Promise<MaintenanceWindow | undefined> {
      const sql = `SELECT ${WINDOW_COLUMNS} FROM maintenance_window WHERE site_id = ? AND id = ? AND ends_at > ?`;
      const row = await database.get(sql, siteId, id, now);
      if (row === undefined) return undefined;
      const window = parseWindow(row);
      if (window.from >= now) await database.run("DELETE FROM maintenance_window WHERE id = ?", id);
      else await database.run("UPDATE maintenance_window SET ends_at = ? WHERE id = ?", now, id);
      await recordAudit(database, trail);
      return { ...window, until: now };
    },
  }),

  pruneWindows: prune("maintenance windows", async (database: Database, { before }: { before: Instant }) => {
    return await database.run(
      `DELETE FROM maintenance_window WHERE id IN
       (SELECT id FROM maintenance_window WHERE ends_at < ? ORDER BY ends_at LIMIT ?)`,
      before,
      PRUNE_AT_ONCE,
    );
  }),
};

async function requirePlace(database: Database, siteId: string, deviceId: string | undefined): Promise<void> {
  const site = await database.get("SELECT 1 AS found FROM site WHERE id = ?", siteId);
  if (site === undefined) throw refuse("not_found", `there is no site ${siteId}`);
  if (deviceId === undefined) return;
  const device = await database.get("SELECT 1 AS found FROM device WHERE id = ? AND site_id = ?", deviceId, siteId);
  if (device === undefined) throw refuse("not_found", `the site has no device ${deviceId}`, { pointer: "/device_id" });
}
