import type { Interlock } from "#core/interlock/interlock.ts";
import { parseMemory, renderMemory, type StoredMemory } from "#core/interlock/interlock-memory.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { parseReport } from "#core/link/parse-report.ts";
import { instant } from "#core/time/instant.ts";
import type { DamagedInterlock, InterlockStore, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { ReadDatabase, Row } from "#store/database.ts";
import { interlockSums } from "./interlock-sums.ts";
import { number, text, time } from "./row.ts";
import { checksumOf } from "./row-checksum.ts";
import { isObject, type StoredRow, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "site_id, name, revision, updated_at, document, devices, memory, memory_at, report, checksums";

export function createInterlockStore(reader: ReadDatabase, writer: Writer): InterlockStore {
  const read = (rows: readonly Row[]) => rows.map((row) => readInterlock(reader, row));
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
    remember: (memories, { at, unsure }) =>
      writer.run("rememberInterlocks", {
        memories: memories.map(({ memory, ...one }) => ({ ...one, memory: storedMemory(memory) })),
        at,
        unsure,
      }),
    delete: (named, trail) => writer.run("deleteInterlock", { named, trail }),
    report: (noted) => writer.run("reportInterlock", noted),
  };
}

/** A damaged one is reported, and goes on as far as it can be read: what it may have limited is kept safe. */
function readInterlock(reader: ReadDatabase, row: Row): StoredInterlock | DamagedInterlock {
  let interlock: Interlock | undefined;
  const isInterlock = (value: unknown): value is object => {
    interlock = isObject(value) ? parseInterlock(value).interlock : undefined;
    return interlock !== undefined;
  };
  const from = { database: reader, table: "site_interlock", row };
  // A gateway has reported that it cannot read its own, which is no damage here.
  const document = row["document"] === "null" ? undefined : storedJson(from, "document", intact(row, 1, isInterlock));
  const devices = storedJson(from, "devices", intact(row, 2, isNames));
  const memory = readMemory(from);
  const stored = {
    siteId: text(row, "site_id"),
    name: text(row, "name"),
    revision: readable(() => number(row, "revision")) ?? 0,
    updatedAt: readable(() => time(row, "updated_at")) ?? instant(0),
    devices: new Map(Object.entries(devices ?? {})),
    memory,
    isMemoryDamaged: memory === undefined && row["memory"] !== null,
    report: row["report"] === null ? undefined : storedJson(from, "report", isReport),
  };
  if (document === undefined || interlock === undefined || devices === undefined)
    return { ...stored, document: undefined, interlock: undefined };
  return { ...stored, document, interlock };
}

/** Also false if a bit has flipped and the value is a right one all the same. */
function intact<Kind>(row: Row, place: 1 | 2, isRight: (value: unknown) => value is Kind) {
  return (value: unknown): value is Kind => isRight(value) && isIntact(row, place);
}

function isIntact(row: Row, place: 1 | 2): boolean {
  if (row["checksums"] === null) return true;
  const [revision, ...sums] = text(row, "checksums").split(" ").map(Number);
  const [document, devices] = [text(row, "document"), text(row, "devices")];
  const right = interlockSums({ siteId: text(row, "site_id"), name: text(row, "name"), document, devices });
  return revision !== row["revision"] || sums[place - 1] === right[place - 1];
}

const storedMemory = (memory: StoredMemory): string => {
  const rendered = renderMemory(memory);
  return JSON.stringify({ memory: rendered, checksum: checksumOf(JSON.stringify(rendered)) });
};

/** Earlier versions store it without a checksum around it. */
function intactMemory(json: unknown): unknown {
  if (!isObject(json) || !("checksum" in json)) return json;
  return json["checksum"] === checksumOf(JSON.stringify(json["memory"])) ? json["memory"] : undefined;
}

/** Without it, a start takes the careful side. */
function readMemory(from: StoredRow): StoredInterlock["memory"] {
  const { row } = from;
  if (row["memory"] === null) return undefined;
  let value: StoredMemory | undefined;
  storedJson(from, "memory", (json): json is unknown => {
    value = parseMemory(intactMemory(json));
    return value !== undefined;
  });
  const at = readable(() => time(row, "memory_at"));
  return value === undefined || at === undefined ? undefined : { value, at };
}

/** A damaged number or time of one interlock must not hide the others. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** One that cannot be read throws, and counts as damaged. */
const isReport = (value: unknown): value is InterlockReport => isObject(value) && parseReport(value) !== undefined;

const isNames = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string");
