import type { Passkey } from "#core/access/passkey.ts";
import type { PasskeyStore } from "#service/ports/passkey-store.ts";
import type { Database } from "#store/database.ts";
import { PASSKEY_COLUMNS, parsePasskey } from "./passkey-row.ts";
import { readRows } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createPasskeyStore(reader: Database, writer: Writer): PasskeyStore {
  async function read(where: string, value: string): Promise<readonly Passkey[]> {
    const rows = await reader.all(`SELECT ${PASSKEY_COLUMNS} FROM passkey ${where}`, value);
    return readRows(reader, { table: "passkey", rows }, parsePasskey);
  }
  return {
    insert: (input, trail) => writer.run("insertPasskey", { input, trail }),
    find: async (id) => (await read("WHERE id = ?", id))[0],
    ofAccount: (accountId) => read("WHERE account_id = ? ORDER BY created_at, id", accountId),
    use: (use) => writer.run("usePasskey", { use }),
    rename: (named, trail) => writer.run("renamePasskey", { named, trail }),
    delete: (named, trail) => writer.run("deletePasskey", { named, trail }),
  };
}
