import type { Interlock } from "#core/interlock/interlock.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import type { InterlockStore, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { ReadDatabase, Row } from "#store/database.ts";
import { number, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "site_id, name, revision, updated_at, document, devices";

export function createInterlockStore(reader: ReadDatabase, writer: Writer): InterlockStore {
  const read = (rows: readonly Row[]) => rows.flatMap((row) => readInterlock(reader, row) ?? []);
  return {
    all: async () =>
      read(
        await reader.all(
          `SELECT ${COLUMNS} FROM site_interlock WHERE site_id IN (SELECT id FROM site WHERE gateway_id IS NULL)
           ORDER BY site_id, name`,
        ),
      ),
    ofSite: async (siteId) =>
      read(await reader.all(`SELECT ${COLUMNS} FROM site_interlock WHERE site_id = ? ORDER BY name`, siteId)),
    put: ({ devices, ...interlock }, trail) =>
      writer.run("putInterlock", { interlock: { ...interlock, devices: Object.fromEntries(devices) }, trail }),
    delete: (named, trail) => writer.run("deleteInterlock", { named, trail }),
  };
}

/** Undefined for a damaged one, which is reported: nobody knows what it would limit. */
function readInterlock(reader: ReadDatabase, row: Row): StoredInterlock | undefined {
  let interlock: Interlock | undefined;
  const isInterlock = (value: unknown): value is object => {
    interlock = isObject(value) ? parseInterlock(value).interlock : undefined;
    return interlock !== undefined;
  };
  const from = { database: reader, table: "site_interlock", row };
  const document = storedJson(from, "document", isInterlock);
  const devices = storedJson(from, "devices", isNames);
  if (document === undefined || interlock === undefined || devices === undefined) return undefined;
  return {
    siteId: text(row, "site_id"),
    name: text(row, "name"),
    revision: number(row, "revision"),
    updatedAt: time(row, "updated_at"),
    document,
    interlock,
    devices: new Map(Object.entries(devices)),
  };
}

const isNames = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string");
