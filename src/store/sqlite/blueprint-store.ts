import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { BlueprintStore } from "#service/ports/blueprint-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { bytes, listed, number, text, time } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "id, display_name, version, digest, size, implements, created_at";

export function createBlueprintStore(reader: Connection, writer: Writer, lists: Lists): BlueprintStore {
  return {
    insert: (blueprint, content, trail) => writer.run("insertBlueprint", { blueprint, content, trail }),
    find: async (id) => {
      const row = reader.get(`SELECT ${COLUMNS} FROM blueprint WHERE id = ?`, id);
      return row && readBlueprint(row);
    },
    content: async (id) => {
      const row = reader.get("SELECT content FROM blueprint_content WHERE blueprint_id = ?", id);
      return row && bytes(row, "content");
    },
    implementing: async () =>
      reader.all("SELECT id, implements FROM blueprint WHERE implements <> '[]'").map(readImplementing),
    list: async (page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "blueprint",
        where: new Where(),
        order: "id DESC",
        read: readBlueprint,
      }),
  };
}

export const blueprintWrites = {
  insertBlueprint(
    database: Connection,
    input: { blueprint: Omit<StoredBlueprint, "version">; content: Uint8Array; trail: AuditEntry },
  ): StoredBlueprint {
    const { blueprint, content, trail } = input;
    const same = database.get(`SELECT ${COLUMNS} FROM blueprint WHERE digest = ?`, blueprint.digest);
    if (same !== undefined) return readBlueprint(same);
    const latest = database.get(
      "SELECT coalesce(max(version), 0) AS version FROM blueprint WHERE display_name = ?",
      blueprint.displayName,
    );
    const stored = { ...blueprint, version: latest === undefined ? 1 : number(latest, "version") + 1 };
    database.run(
      `INSERT INTO blueprint (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      stored.id,
      stored.displayName,
      stored.version,
      stored.digest,
      stored.size,
      listed(stored.implements),
      stored.createdAt,
    );
    database.run("INSERT INTO blueprint_content (blueprint_id, content) VALUES (?, ?)", stored.id, content);
    recordAudit(database, trail);
    return stored;
  },
};

function readBlueprint(row: Row): StoredBlueprint {
  return {
    id: text(row, "id"),
    displayName: text(row, "display_name"),
    version: number(row, "version"),
    digest: text(row, "digest"),
    size: number(row, "size"),
    implements: JSON.parse(text(row, "implements")) as string[],
    createdAt: time(row, "created_at"),
  };
}

function readImplementing(row: Row): { readonly id: string; readonly implements: readonly string[] } {
  return { id: text(row, "id"), implements: JSON.parse(text(row, "implements")) as string[] };
}
