import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { BLUEPRINT_COLUMNS, parseBlueprint, uploaderText } from "./blueprint-row.ts";
import { marked } from "./link-marks.ts";
import { listed, number } from "./row.ts";
import { write } from "./write.ts";

export const blueprintWrites = {
  insertBlueprint: write({
    locks: ["blueprints"],
    informs: { cloud: (_, blueprint) => marked("blueprint", blueprint.id), nodes: undefined },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      input: { blueprint: Omit<StoredBlueprint, "version">; content: Uint8Array; trail: AuditEntry },
    ) {
      const { blueprint, content, trail } = input;
      const same = await database.get(`SELECT ${BLUEPRINT_COLUMNS} FROM blueprint WHERE digest = ?`, blueprint.digest);
      if (same !== undefined) return parseBlueprint(database, same);
      const latest = await database.one(
        "SELECT coalesce(max(version), 0) AS version FROM blueprint WHERE display_name = ?",
        blueprint.displayName,
      );
      const stored = { ...blueprint, version: number(latest, "version") + 1 };
      await database.run(
        `INSERT INTO blueprint (${BLUEPRINT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        stored.id,
        stored.displayName,
        stored.version,
        stored.digest,
        stored.size,
        listed(stored.implements),
        stored.createdAt,
        uploaderText(stored.uploadedBy),
      );
      await database.run("INSERT INTO blueprint_content (blueprint_id, content) VALUES (?, ?)", stored.id, content);
      await recordAudit(database, trail);
      return stored;
    },
  }),
};
