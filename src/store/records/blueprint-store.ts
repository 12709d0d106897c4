import type { BlueprintStore } from "#service/ports/blueprint-store.ts";
import type { Database } from "#store/database.ts";
import { BLUEPRINT_COLUMNS, parseBlueprint, parseProfiles } from "./blueprint-row.ts";
import { everyRow } from "./every-row.ts";
import type { Lists } from "./lists.ts";
import { bytes, text } from "./row.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

export function createBlueprintStore(reader: Database, writer: Writer, lists: Lists): BlueprintStore {
  return {
    insert: (blueprint, content, trail) => writer.run("insertBlueprint", { blueprint, content, trail }),
    find: async (id) => {
      const row = await reader.get(`SELECT ${BLUEPRINT_COLUMNS} FROM blueprint WHERE id = ?`, id);
      return row && parseBlueprint(reader, row);
    },
    findByDigest: async (digest) => {
      const row = await reader.get(`SELECT ${BLUEPRINT_COLUMNS} FROM blueprint WHERE digest = ?`, digest);
      return row && parseBlueprint(reader, row);
    },
    content: async (id) => {
      const row = await reader.get("SELECT content FROM blueprint_content WHERE blueprint_id = ?", id);
      return row && bytes(row, "content");
    },
    implementing: async () =>
      (await everyRow(reader, { columns: "id, implements", from: "blueprint", where: "implements <> '[]'" })).map(
        (row) => ({ id: text(row, "id"), implements: parseProfiles(reader, row) }),
      ),
    list: async (page) =>
      lists.page(page, {
        columns: BLUEPRINT_COLUMNS,
        from: "blueprint",
        where: new Where(),
        order: "id DESC",
        read: (row) => parseBlueprint(reader, row),
      }),
  };
}
