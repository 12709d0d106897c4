// A folder that once was an installation never becomes a new one by itself: what is lost is named, with what to do.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { whatRecordsLack, whatTelemetryLacks } from "#store/sqlite/what-is-lost.ts";
import { MARK_FILE, readMark, type Storage, writeMark } from "./installation-mark.ts";
import { tracesIn } from "./traces.ts";
import { refuseUnfinished, removeRestOfRestore } from "./unfinished.ts";

interface OpenOptions {
  readonly storage: Storage;
  /** The operator gives up the telemetry that is lost. */
  readonly replaceLostTelemetry: boolean;
}

export interface Installation {
  /** Whether the database elsewhere must hold an installation, because this folder belongs to one. */
  readonly expectsRecords: boolean;
  /** Notes that everything is made. Called before anything is acknowledged. */
  complete(): void;
}

/** The folder is claimed. Throws if it lacks a part of its installation. */
export function openInstallation(data: string, { storage, replaceLostTelemetry }: OpenOptions): Installation {
  refuseUnfinished(data);
  removeRestOfRestore(data);
  const mark = readMark(data);
  const expectsRecords =
    storage === "embedded"
      ? openEmbedded(data, replaceLostTelemetry)
      : mark?.isComplete === true || (mark === undefined && tracesIn(data).includes("records.db"));
  return {
    expectsRecords,
    complete() {
      if (mark?.isComplete === true && mark.storage === storage) return;
      writeMark(data, { storage, isComplete: true });
    },
  };
}

function openEmbedded(data: string, replaceLostTelemetry: boolean): boolean {
  const mark = readMark(data);
  const traces = tracesIn(data);
  if (mark === undefined && traces.length === 0) writeMark(data, { storage: "embedded", isComplete: false });
  // A first start that was cut off goes on: nothing was acknowledged.
  if (mark?.isComplete === false || (mark === undefined && traces.length === 0)) return false;
  if (mark?.storage === "postgres") throw new Error(inPostgres(data));
  requireEmbedded(data, replaceLostTelemetry);
  return true;
}

/** Throws if the databases of an installation are not all there. */
export function requireEmbedded(data: string, replaceLostTelemetry = false): void {
  const records = whatRecordsLack(data);
  const telemetry = whatTelemetryLacks(data);
  const others = tracesIn(data).filter((name) => name !== "records.db" && name !== "telemetry.db");
  if (records !== undefined) {
    const also = telemetry === undefined ? "" : `, telemetry.db ${telemetry}`;
    const beside = others.length === 0 ? "" : ` (${others.join(", ")})`;
    throw new Error(
      `${data} was an installation${beside} and has lost its records: records.db ${records}${also}.\n` +
        `Put the file back, or restore a backup into an empty folder: busbar restore FILE --data FOLDER.\n` +
        "If its records are in PostgreSQL, set database.url. To begin anew, use an empty folder: move the content of this one away",
    );
  }
  if (telemetry !== undefined && !replaceLostTelemetry) {
    throw new Error(
      `${data} has lost its telemetry: telemetry.db ${telemetry}, and the records are there.\n` +
        "Put the file back, or restore a backup into an empty folder: busbar restore FILE --data FOLDER.\n" +
        "If it is lost for good, start once with --telemetry-replace-lost: the records stay, and new telemetry begins",
    );
  }
}

function inPostgres(data: string): string {
  const old = existsSync(join(data, "records.db"))
    ? ` records.db here is from before the move there: to go back to it, delete ${join(data, MARK_FILE)}`
    : "";
  return `${data} belongs to a node whose records are in PostgreSQL, and database.url is not set.\nSet it (BUSBAR_DATABASE_URL), or move the records back with busbar migrate.${old}`;
}

/** For a database that holds nothing beside a folder whose records it had. */
export function emptyDatabase(data: string): string {
  const what =
    readMark(data)?.storage === "postgres"
      ? `${data} belongs to a node of an installation, and its database is empty.\nCheck database.url, or restore the database with pg_restore.`
      : `${data} holds an installation of its own, and the database of database.url is empty.\nMove the installation there: busbar migrate --from ${data} --to postgres://..., or unset database.url.`;
  return `${what} To begin anew, use an empty data folder`;
}
