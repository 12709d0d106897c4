import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { MOST_ROUTES, type Route } from "#core/notification/route.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { contentOf, ROUTE_COLUMNS, routesOf } from "./route-row.ts";
import { text } from "./row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

/** A channel that a route names stays. */
const routeLocks = (siteId: string) => [`site ${siteId}`, `channels ${siteId}`];

export const routeWrites = {
  putRoute: write({
    locks: ({ route }) => routeLocks(route.siteId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { route, trail }: { route: Route; trail: AuditEntry }) {
      const { id, siteId, name, createdAt, updatedAt } = route;
      await requireOwnSite(database, siteId);
      const others = (await routesOf(database, siteId)).filter((one) => one.id !== id);
      if (others.length >= MOST_ROUTES)
        throw refuse("conflict", `the site has ${MOST_ROUTES} notification routes already; delete some first`);
      if (others.some((one) => one.name === name))
        throw refuse("conflict", `the site has a notification route ${JSON.stringify(name)} already`, {
          pointer: "/name",
        });
      await requireChannels(database, route);
      await database.run(
        `INSERT INTO notification_route (${ROUTE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, content = excluded.content, updated_at = excluded.updated_at`,
        id,
        siteId,
        name,
        contentOf(route),
        createdAt,
        updatedAt,
      );
      await recordAudit(database, trail);
    },
  }),

  deleteRoute: write({
    locks: ({ named }) => routeLocks(named.siteId),
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { named: { siteId, id }, trail }: { named: { readonly siteId: string; readonly id: string }; trail: AuditEntry },
    ): Promise<boolean> {
      const sql = "DELETE FROM notification_route WHERE site_id = ? AND id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, siteId, id));
    },
  }),
};

async function requireChannels(database: WriteDatabase, { siteId, steps }: Route): Promise<void> {
  const rows = await database.all("SELECT id FROM notification_channel WHERE site_id = ?", siteId);
  const known = new Set(rows.map((row) => text(row, "id")));
  for (const [step, { channels }] of steps.entries()) {
    const [missing] = channels.filter((id) => !known.has(id));
    if (missing === undefined) continue;
    const pointer = `/steps/${step}/channels`;
    throw refuse("not_found", `the site has no notification channel ${missing.slice(0, 80)}`, { pointer });
  }
}
