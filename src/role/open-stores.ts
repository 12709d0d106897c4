// The stores and their threads, without the rest of the program. Only this file chooses the implementations of the
// storage ports.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "#config";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { DATABASE_FILES, guardStorage, type StorageGuard } from "#role/guard-storage.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Troubles } from "#service/troubles.ts";
import { emptyDatabase, type Installation, openInstallation } from "#store/installation/open-installation.ts";
import type { Damage } from "#store/series/damage.ts";
import { guardTelemetry } from "#store/series/guard-telemetry.ts";
import { openSeries, type SeriesSettings } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { claimFolder, openRecords } from "#store/sqlite/open-records.ts";
import type { WatchedClocks } from "./clocks.ts";

export interface Surroundings {
  readonly config: Config;
  readonly log: Logger;
  /** Resources are closed in reverse order. */
  readonly opened: AsyncDisposableStack;
  readonly clocks: WatchedClocks;
  readonly troubles: Troubles;
  readonly budgets: ByteBudgets;
  readonly shares: Shares;
}

export interface OpenStores {
  readonly records: RecordStore;
  readonly telemetry: TelemetryStore;
  readonly storage: StorageGuard;
  readonly installation: Installation;
}

/** In parallel, because each of them waits for its threads to start. */
export async function openStores(
  { config, log, opened, clocks: { now }, budgets, shares, troubles }: Surroundings,
  onFault: (error: Error) => void,
): Promise<OpenStores> {
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const database = config.database.url?.reveal();
  const storage = guardStorage(config.data, troubles, database === undefined ? DATABASE_FILES : []);
  storage.gate.makeRoom();
  opened.defer(() => storage.reserve.takeRest());
  const release = claimFolder(config.data);
  const installation = claimed(release, () =>
    openInstallation(config.data, {
      storage: database === undefined ? "embedded" : "postgres",
      replaceLostTelemetry: config.telemetry.replaceLost,
    }),
  );
  const telemetryFile = join(config.data, "telemetry.db");
  const telemetryPlace = database === undefined ? telemetryFile : "the database";
  const onTrouble = (error: Error) => troubles.report(UNREADABLE, { err: error, place: error.message });
  const onDamagedSeries = (damage: Damage) => {
    const { table, start, deviceId, attribute, setAside } = damage;
    const place = [setAside ?? telemetryPlace, table, deviceId, attribute, start]
      .filter((one) => one !== undefined)
      .join(" ");
    const trouble = setAside !== undefined ? SET_ASIDE : table === "journal" ? LACKING : DAMAGED;
    troubles.report(trouble, { ...damage, place });
  };
  const onDamaged = (place: string) =>
    troubles.report({ part: "records", message: "a stored value cannot be read and is left out" }, { place });
  const series = { ...seriesSettings(config), shares, budgets, now, onTrouble, onDamaged: onDamagedSeries };
  const onLost = (error: Error) => log.warn({ err: error }, "a connection to the database was lost");
  const onWaiting = (error: Error) =>
    log.warn({ err: error }, "the database cannot be reached yet; it is tried again for 30 seconds");
  const onChecked = (unsafe: string | undefined) => {
    if (unsafe === undefined) troubles.clear(UNSAFE.part);
    else troubles.report(UNSAFE, { settings: unsafe, place: unsafe });
  };
  const { allowLoss } = config.database;
  const openEmbedded = () => ({
    records: openRecords(config.data, onFault, { release, onDamaged, gate: storage.gate }),
    telemetry: openSeries(sqliteChunks(telemetryFile), { ...series, warmUpMs: WARM_UP_MS }, onFault),
  });
  /** Loaded only where they are used: a gateway starts sooner without them. */
  const openOn = async (url: string) => {
    const { openPostgresRecords } = await import("#store/postgres/open-records.ts");
    const { keepTimelines } = await import("#store/postgres/kept-timelines.ts");
    const { requireCopy } = await import("#store/postgres/require-copy.ts");
    const { postgresChunks } = await import("#store/series/postgres/open-postgres-chunks.ts");
    keepTimelines(url, join(config.data, "database-timelines"));
    const copy = config.database.readUrl?.reveal();
    if (copy !== undefined && !(await requireCopy(url, copy))) {
      log.warn("the server of database.read_url cannot be reached now; the primary answers until it can");
    }
    return {
      records: openPostgresRecords(url, { allowLoss, onDamaged, onLost, onChecked, onWaiting }),
      telemetry: openSeries(postgresChunks(url, { copy, mustBeDurable: !allowLoss }), series, onFault),
    };
  };
  const opening = database === undefined ? openEmbedded() : await openOn(database);
  const [records, telemetry] = await Promise.allSettled([opening.records, opening.telemetry]);
  if (database !== undefined) opened.defer(release);
  if (records.status === "fulfilled") opened.defer(() => records.value.close());
  if (telemetry.status === "fulfilled") opened.defer(() => telemetry.value.close());
  if (records.status === "rejected") throw records.reason;
  if (telemetry.status === "rejected") throw telemetry.reason;
  if (database !== undefined && installation.expectsRecords && (await records.value.isEmpty())) {
    throw new Error(emptyDatabase(config.data));
  }
  for (const buffer of records.value.buffers) budgets.watch(buffer);
  await storage.look();
  // A full disk of this machine is no trouble for a database elsewhere.
  const guarded = database === undefined ? guardTelemetry(telemetry.value, storage.gate) : telemetry.value;
  return { records: records.value, telemetry: guarded, storage, installation };
}

/** Gives the folder back when it cannot be used. */
function claimed<Result>(release: () => void, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    release();
    throw error;
  }
}

/** These texts are public; the place is in the log only. */
const UNSAFE = {
  part: "database",
  message:
    "the settings of the database allow it to lose what it has acknowledged: nothing is stored until they are safe",
};
const UNREADABLE = {
  part: "telemetry",
  message: "some of the telemetry could not be read or stored for good; nothing is lost, it is tried again",
};
const DAMAGED = {
  part: "telemetry",
  message: "some of the stored telemetry is damaged: questions that touch it are refused, the rest is answered",
};
const LACKING = {
  part: "telemetry",
  message:
    "acknowledged points are damaged and set aside: answers about the hours before that start may lack them; telemetry.forget_damaged ends this message",
};
const SET_ASIDE = {
  part: "telemetry",
  message: "the file of the telemetry could not be opened: it was set aside under another name, and a new one begun",
};

/** By then a start is over. */
const WARM_UP_MS = 10_000;

function seriesSettings({ telemetry }: Config): SeriesSettings {
  const { sealAfter, maxOpenPoints, readers, bucketCacheMb, forgetDamaged } = telemetry;
  return {
    graceMs: toMilliseconds(sealAfter),
    maxHotPoints: maxOpenPoints,
    readers,
    finishedBytes: bucketCacheMb * 1024 * 1024,
    forgetDamaged,
  };
}
