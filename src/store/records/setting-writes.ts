import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";

export const settingWrites = {
  async putSetting(
    database: WriteDatabase,
    { name, value, trail }: { name: string; value: string; trail: AuditEntry },
  ): Promise<void> {
    await database.run(
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
    await recordAudit(database, trail);
  },

  async deleteSetting(database: WriteDatabase, { name, trail }: { name: string; trail: AuditEntry }): Promise<boolean> {
    const isDeleted = (await database.run("DELETE FROM setting WHERE name = ?", name)) > 0;
    if (isDeleted) await recordAudit(database, trail);
    return isDeleted;
  },
};
