import { VIEW_KINDS, type View, type ViewHead } from "#core/view/view.ts";
import type { Database, Row } from "#store/database.ts";
import { number, oneOf, optionalText, text, time } from "./row.ts";

export const HEAD_COLUMNS = "id, site_id, owner_id, kind, name, is_start, revision, created_at, updated_at";
export const VIEW_COLUMNS = `${HEAD_COLUMNS}, content`;

export async function findView(database: Database, siteId: string, id: string): Promise<View | undefined> {
  const row = await database.get(`SELECT ${VIEW_COLUMNS} FROM saved_view WHERE id = ? AND site_id = ?`, id, siteId);
  return row && { ...parseViewHead(row), content: text(row, "content") };
}

export function parseViewHead(row: Row): ViewHead {
  return {
    id: text(row, "id"),
    siteId: text(row, "site_id"),
    ownerId: optionalText(row, "owner_id"),
    kind: oneOf(row, "kind", VIEW_KINDS),
    name: text(row, "name"),
    isStart: number(row, "is_start") === 1,
    revision: number(row, "revision"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}
