import type { ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Database } from "#store/database.ts";
import { OF_DEVICES, putEntry, removeEntry } from "./script-entries.ts";
import { deviceLock, NOBODY, write } from "./write.ts";

interface Entry {
  readonly deviceId: string;
  readonly key: string;
  readonly value: string;
  readonly limits: ScriptStoreLimits;
}

export const scriptWrites = {
  putScriptEntry: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: false,
    run: (database: Database, { deviceId, ...entry }: Entry) =>
      putEntry(database, OF_DEVICES, { id: deviceId, ...entry }),
  }),

  removeScriptEntry: write({
    locks: ({ deviceId }) => deviceLock(deviceId),
    informs: NOBODY,
    fromReserve: true,
    run: (database: Database, { deviceId, key }: { deviceId: string; key: string }) =>
      removeEntry(database, OF_DEVICES, { id: deviceId, key }),
  }),
};
