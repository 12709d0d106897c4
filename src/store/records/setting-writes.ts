import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { NOBODY, write } from "./write.ts";

export const settingWrites = {
  putSetting: write({
    locks: ({ name }) => [`setting ${name}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { name, value, trail }: { name: string; value: string; trail: AuditEntry }) {
      await database.run(
        "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        value,
      );
      await recordAudit(database, trail);
    },
  }),

  deleteSetting: write({
    locks: ({ name }) => [`setting ${name}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { name, trail }: { name: string; trail: AuditEntry }) {
      return await recordIfChanged(database, trail, await database.run("DELETE FROM setting WHERE name = ?", name));
    },
  }),
};
