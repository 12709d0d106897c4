import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { BlueprintStore } from "#service/ports/blueprint-store.ts";
import { recordAudit } from "./audit-store.ts";
import type { Connection, Row } from "./connection.ts";
import type { Lists } from "./lists.ts";
import { bytes, listed, number, text, time } from "./row.ts";
import { isTexts, storedJson } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "id, display_name, version, digest, size, implements, created_at";

export function createBlueprintStore(reader: Connection, writer: Writer, lists: Lists): BlueprintStore {
  return {
    insert: (blueprint, content, trail) => writer.run("insertBlueprint", { blueprint, content, trail }),
    find: async (id) => {
      const row = reader.get(`SELECT ${COLUMNS} FROM blueprint WHERE id = ?`, id);
      return row && readBlueprint(reader, row);
    },
    content: async (id) => {
      const row = reader.get("SELECT content FROM blueprint_content WHERE blueprint_id = ?", id);
      return row && bytes(row, "content");
    },
    implementing: async () =>
      reader.all("SELECT id, implements FROM blueprint WHERE implements <> '[]'").map((row) => ({
        id: text(row, "id"),
        implements: readProfiles(reader, row),
      })),
    list: async (page) =>
      lists.page(page, {
        columns: COLUMNS,
        from: "blueprint",
        where: new Where(),
        order: "id DESC",
        read: (row) => readBlueprint(reader, row),
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
    if (same !== undefined) return readBlueprint(database, same);
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

function readBlueprint(database: Connection, row: Row): StoredBlueprint {
  return {
    id: text(row, "id"),
    displayName: text(row, "display_name"),
    version: number(row, "version"),
    digest: text(row, "digest"),
    size: number(row, "size"),
    implements: readProfiles(database, row),
    createdAt: time(row, "created_at"),
  };
}

function readProfiles(database: Connection, row: Row): readonly string[] {
  return storedJson({ database, table: "blueprint", row }, "implements", isTexts) ?? [];
}
