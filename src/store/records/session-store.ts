import type { SessionStore } from "#service/ports/session-store.ts";
import type { Database } from "#store/database.ts";
import { everyRow } from "./every-row.ts";
import { CODE_COLUMNS, parseCode, parseSession, SESSION_COLUMNS } from "./session-row.ts";
import { readRows } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

export function createSessionStore(reader: Database, writer: Writer): SessionStore {
  return {
    insert: (input, trail) => writer.run("insertSession", { input, trail }),
    find: async (id) => {
      const rows = await reader.all(`SELECT ${SESSION_COLUMNS} FROM session WHERE id = ?`, id);
      return readRows(reader, { table: "session", rows }, parseSession)[0];
    },
    all: async () => {
      const rows = await everyRow(reader, { columns: SESSION_COLUMNS, from: "session" });
      return readRows(reader, { table: "session", rows }, parseSession);
    },
    renew: (renewal) => writer.run("renewSession", { renewal }),
    end: (id, trail) => writer.run("endSession", { id, trail }),
    endOfToken: (tokenId, trail) => writer.run("endSessionsOfToken", { tokenId, trail }),
    endOfProvider: (tokenId, providerSession, trail) =>
      writer.run("endSessionsOfProvider", { tokenId, providerSession, trail }),
    noteUse: (uses) => writer.run("noteSessionUse", { uses }),
    insertCode: (input) => writer.run("insertSignInCode", { input }),
    findCode: async (hash) => {
      const row = await reader.get(`SELECT ${CODE_COLUMNS} FROM sign_in_code WHERE hash = ?`, hash);
      return row && parseCode(row);
    },
    takeCode: (hash, now) => writer.run("takeSignInCode", { hash, now }),
    prune: (limits) => writer.run("pruneSessions", limits),
  };
}
