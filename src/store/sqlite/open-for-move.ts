// A data folder as a side of a move. A target gets files with other names first, so that no Busbar starts on half of an
// installation.
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "#store/failpoint.ts";
import { MARK_FILE, readMark, writeMark } from "#store/installation/installation-mark.ts";
import { requireEmbedded } from "#store/installation/open-installation.ts";
import { isMoveUnfinished, isRestoreUnfinished, MOVING, refuseUnfinished } from "#store/installation/unfinished.ts";
import type { MoveSide } from "#store/move/move-side.ts";
import { ownSide } from "#store/move/telemetry-sides.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { SeriesEngine } from "#store/series/engine.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { flushFolder } from "#store/write-secret-file.ts";
import { Connection } from "./connection.ts";
import { makePrivate } from "./make-private.ts";
import { claimFolder } from "./open-records.ts";
import { planTables, sqliteTables } from "./record-tables.ts";

const FILES = ["records.db", "telemetry.db"] as const;

export async function openFolderForMove(folder: string, role: "from" | "to", onDamaged: OnDamaged): Promise<MoveSide> {
  const release = claimFolder(folder);
  const open: Connection[] = [];
  const close = async () => {
    for (const one of open.splice(0)) one.close();
    release();
  };
  try {
    const nameOf = (file: string) => join(folder, role === "to" ? file + MOVING : file);
    if (role === "from") requireSource(folder);
    else prepareTarget(folder);
    // Records are copied in one go, so those of an earlier attempt are of no use.
    if (role === "to") removeFile(nameOf("records.db"));
    const [records, chunks] = FILES.map((file) => {
      makePrivate(nameOf(file));
      const connection = new Connection(nameOf(file), "write");
      open.push(connection);
      return connection;
    }) as [Connection, Connection];
    const tables = planTables(records);
    const store = createSqliteChunkStore(chunks, onDamaged);
    if (role === "from") {
      const engine = await SeriesEngine.open(store, { graceMs: 0, maxHotPoints: Number.POSITIVE_INFINITY }, onDamaged);
      await engine.sealAll(Date.now());
    }
    return {
      tables,
      records: sqliteTables(records),
      telemetry: await ownSide(store, onDamaged),
      held: {
        read: async () =>
          chunks.lists("SELECT device_id, at, arrived_at, points FROM held ORDER BY id") as [
            string,
            number,
            number,
            string,
          ][],
        async replace(rows) {
          chunks.run("DELETE FROM held");
          for (const row of rows)
            chunks.run("INSERT INTO held (device_id, at, arrived_at, points) VALUES (?, ?, ?, ?)", ...row);
        },
      },
      async finish() {
        for (const one of open.splice(0)) one.close();
        if (role === "to") putInPlace(folder);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function requireSource(folder: string): void {
  refuseUnfinished(folder);
  if (!existsSync(join(folder, "records.db")) && readMark(folder) === undefined) {
    throw new Error(`${folder} holds no installation`);
  }
  requireEmbedded(folder);
}

/** A move that was cut off while its files came into place has put only the telemetry there. */
function prepareTarget(folder: string): void {
  if (isRestoreUnfinished(folder)) refuseUnfinished(folder);
  const [records, telemetry] = FILES.map((file) => join(folder, file)) as [string, string];
  if (isMoveUnfinished(folder) && existsSync(telemetry) && existsSync(records + MOVING) && !existsSync(records)) {
    renameSync(telemetry, telemetry + MOVING);
  }
  const isThere = FILES.filter((file) => existsSync(join(folder, file)));
  if (isThere.length > 0) throw new Error(`${folder} already holds ${isThere.join(" and ")}`);
  // The mark of a node whose records were elsewhere would hide that the move is not finished.
  rmSync(join(folder, MARK_FILE), { force: true });
}

function putInPlace(folder: string): void {
  const [records, telemetry] = FILES.map((file) => join(folder, file)) as [string, string];
  for (const file of [telemetry, records]) {
    failpoint("move.placing");
    renameSync(file + MOVING, file);
    flushFolder(folder);
  }
  failpoint("move.placed");
  writeMark(folder, { storage: "embedded", isComplete: true });
}

function removeFile(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
}
