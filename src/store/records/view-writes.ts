import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, type View } from "#core/view/view.ts";
import type { ViewUpdate } from "#service/ports/view-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { deleteReadMarksOf } from "./read-notification-writes.ts";
import { number } from "./row.ts";
import { findView, VIEW_COLUMNS } from "./view-row.ts";
import { NOBODY, write } from "./write.ts";

/** A site's views are counted, and those of a person end with the token. */
const locksOf = (siteId: string, ownerId: string | undefined) => [
  `site ${siteId}`,
  ...(ownerId === undefined ? [] : [`token ${ownerId}`]),
];

export const viewWrites = {
  insertView: write({
    locks: ({ view }) => locksOf(view.siteId, view.ownerId),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { view, trail }: { view: View; trail: AuditEntry }) {
      const site = await database.get("SELECT 1 AS found FROM site WHERE id = ?", view.siteId);
      if (site === undefined) throw refuse("not_found", `there is no site ${view.siteId}`);
      await requireRoom(database, view);
      if (view.isStart) await clearStart(database, view);
      await database.run(
        `INSERT INTO saved_view (${VIEW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        view.id,
        view.siteId,
        view.ownerId ?? null,
        view.kind,
        view.name,
        Number(view.isStart),
        view.revision,
        view.createdAt,
        view.updatedAt,
        view.content,
      );
      await recordAudit(database, trail);
    },
  }),

  updateView: write({
    locks: ({ update }) => locksOf(update.siteId, update.change.ownerId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { update, trail }: { update: ViewUpdate; trail: AuditEntry },
    ): Promise<View | undefined> {
      const { siteId, id, revision, change, at } = update;
      const before = await findView(database, siteId, id);
      if (before === undefined) return undefined;
      if (before.revision !== revision) {
        const message = `the view was changed meanwhile: it has revision ${before.revision}, not ${revision}; read it again`;
        throw refuse("conflict", message, { pointer: "/revision", revision: before.revision });
      }
      const view: View = { ...before, ...change, revision: revision + 1, updatedAt: at };
      if (view.ownerId !== before.ownerId) await requireRoom(database, view);
      if (view.isStart) await clearStart(database, view);
      await database.run(
        `UPDATE saved_view SET owner_id = ?, name = ?, is_start = ?, revision = ?, updated_at = ?, content = ?
         WHERE id = ? AND site_id = ?`,
        view.ownerId ?? null,
        view.name,
        Number(view.isStart),
        view.revision,
        view.updatedAt,
        view.content,
        id,
        siteId,
      );
      await recordAudit(database, trail);
      return view;
    },
  }),

  deleteView: write({
    locks: ({ siteId }) => locksOf(siteId, undefined),
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { siteId, id, trail }: { siteId: string; id: string; trail: AuditEntry }) {
      const sql = "DELETE FROM saved_view WHERE id = ? AND site_id = ?";
      return await recordIfChanged(database, trail, await database.run(sql, id, siteId));
    },
  }),
};

/** What a person or token that has ended leaves behind: its own views, and how far it has read. */
export async function deleteOwnOf(database: Database, tokenId: string): Promise<void> {
  await database.run("DELETE FROM saved_view WHERE owner_id = ?", tokenId);
  await deleteReadMarksOf(database, tokenId);
}

async function requireRoom(database: Database, { siteId, ownerId }: View): Promise<void> {
  const count = async (whose: string, ...values: readonly string[]) =>
    number(await database.one(`SELECT count(*) AS total FROM saved_view WHERE ${whose}`, ...values), "total");
  if (ownerId === undefined) {
    if ((await count("site_id = ? AND owner_id IS NULL", siteId)) < MAX_SHARED_VIEWS) return;
    throw refuse("conflict", `the site has ${MAX_SHARED_VIEWS} shared views already; delete some first`);
  }
  // The call was allowed before this write had its turn: meanwhile the token may have ended.
  const ended = "SELECT 1 AS found FROM token WHERE id = ? AND revoked_at IS NOT NULL";
  if ((await database.get(ended, ownerId)) !== undefined) throw refuse("not_found", "the token has ended");
  if ((await count("site_id = ? AND owner_id = ?", siteId, ownerId)) < MAX_OWN_VIEWS) return;
  throw refuse("conflict", `you have ${MAX_OWN_VIEWS} views of your own on this site already; delete some first`);
}

/** Of each kind a person has one start, and so do all together. */
async function clearStart(database: Database, { siteId, ownerId, id, kind }: View): Promise<void> {
  const whose = ownerId === undefined ? "owner_id IS NULL" : "owner_id = ?";
  await database.run(
    `UPDATE saved_view SET is_start = 0 WHERE site_id = ? AND id <> ? AND kind = ? AND is_start = 1 AND ${whose}`,
    siteId,
    id,
    kind,
    ...(ownerId === undefined ? [] : [ownerId]),
  );
}
