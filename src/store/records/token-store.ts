import type { TokenStore } from "#service/ports/token-store.ts";
import type { Database } from "#store/database.ts";
import { everyRow } from "./every-row.ts";
import { readRows } from "./stored-json.ts";
import { parseToken, TOKEN_COLUMNS } from "./token-row.ts";
import type { Writer } from "./writer.ts";

export function createTokenStore(reader: Database, writer: Writer): TokenStore {
  return {
    insert: (token, trail) => writer.run("insertToken", { token, trail }),
    putAdmin: (token) => writer.run("putAdminToken", { token }),
    find: async (id) => {
      const rows = await reader.all(`SELECT ${TOKEN_COLUMNS} FROM token WHERE id = ?`, id);
      return readRows(reader, { table: "token", rows }, (row) => parseToken(reader, row))[0];
    },
    all: async () => {
      const rows = await everyRow(reader, { columns: TOKEN_COLUMNS, from: "token" });
      return readRows(reader, { table: "token", rows }, (row) => parseToken(reader, row));
    },
    revoke: (id, at, trail) => writer.run("revokeToken", { id, at, trail }),
    putOfCloud: (tokens) => writer.run("putCloudTokens", { tokens }),
    noteUse: (uses) => writer.run("noteTokenUse", { uses }),
  };
}
