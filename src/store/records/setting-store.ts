import type { SettingStore } from "#service/ports/setting-store.ts";
import type { Database } from "#store/database.ts";
import { text } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createSettingStore(reader: Database, writer: Writer): SettingStore {
  return {
    all: async () => {
      const rows = await reader.all("SELECT name, value FROM setting ORDER BY name");
      return new Map(rows.map((row) => [text(row, "name"), text(row, "value")]));
    },
    put: (name, value, trail) => writer.run("putSetting", { name, value, trail }),
    delete: (name, trail) => writer.run("deleteSetting", { name, trail }),
  };
}
