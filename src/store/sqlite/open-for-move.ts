// A data folder as a side of a move. A target gets files with other names first, so that no Busbar starts on half of an
// installation.
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { MoveSide } from "#store/move/move-side.ts";
import { ownSide } from "#store/move/telemetry-sides.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { SeriesEngine } from "#store/series/engine.ts";
import { createSqliteChunkStore } from "#store/series/sqlite/sqlite-chunk-store.ts";
import { Connection } from "./connection.ts";
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
    const nameOf = (file: string) => join(folder, role === "to" ? `${file}.moving` : file);
    const isThere = FILES.filter((file) => existsSync(join(folder, file)));
    if (role === "from" && isThere.length < FILES.length) throw new Error(`${folder} holds no installation`);
    if (role === "to" && isThere.length > 0) throw new Error(`${folder} already holds ${isThere.join(" and ")}`);
    // Records are copied in one go, so those of an earlier attempt are of no use.
    if (role === "to") removeFile(nameOf("records.db"));
    const [records, chunks] = FILES.map((file) => {
      const connection = new Connection(nameOf(file), "write");
      open.push(connection);
      chmodSync(nameOf(file), 0o600);
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
        if (role === "to") for (const file of FILES) renameSync(nameOf(file), join(folder, file));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function removeFile(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
}
