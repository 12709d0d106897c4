// Restores a backup into a data folder that holds no installation. Everything is written beside its place and checked
// first. The folder `restoring` is there from the first step to the last, and installation.json is written at the end. So
// no Busbar starts on half of a backup, and a restore that was cut off is started over by the next one.
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promises, Readable } from "node:stream";

import { failpoint } from "#store/failpoint.ts";
import { MARK_FILE, writeMark } from "#store/installation/installation-mark.ts";
import { isRestoreUnfinished, PLACING_FILE, RESTORE_FOLDER } from "#store/installation/unfinished.ts";
import { applyChanges, finishRestoredTelemetry, type TelemetryCounts } from "#store/series/sqlite/copy-telemetry.ts";
import { finishRestoredRecords } from "#store/sqlite/copy-records.ts";
import { claimFolder } from "#store/sqlite/open-records.ts";
import { flushFolder, writeSecretFile } from "#store/write-secret-file.ts";
import type { Keys } from "./age.ts";
import { CHANGES_FILE, CONFIG_FILE, DATA_PREFIX } from "./backup-files.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { readBackup } from "./read-backup.ts";
import type { TarFile } from "./tar.ts";

export interface RestoreOptions {
  readonly file: string;
  readonly data: string;
  readonly keys: Keys;
  /** Called with a backup that is complete, before anything comes into its place. */
  readonly beforePlacing?: (manifest: BackupManifest) => Promise<void>;
}

export interface Restored {
  readonly manifest: BackupManifest;
  readonly telemetry: TelemetryCounts | undefined;
  /** Where the configuration file of the backup is now. */
  readonly configuration: string | undefined;
}

export async function restoreBackup({ file, data, keys, beforePlacing }: RestoreOptions): Promise<Restored> {
  requireEmpty(data);
  const release = claimFolder(data);
  try {
    const work = join(data, RESTORE_FOLDER);
    undo(data);
    mkdirSync(work, { mode: 0o700 });
    flushFolder(data);
    failpoint("restore.begun");
    const { manifest } = await readBackup(file, keys, (entry) => keep(work, entry));
    if (manifest.base !== undefined) await addBase(work, { file, keys, manifest });
    const at = (name: string) => join(work, DATA_PREFIX, name);
    const hasTelemetry = existsSync(at("telemetry.db"));
    const telemetry = hasTelemetry ? finishRestoredTelemetry(at("telemetry.db")) : undefined;
    if (existsSync(at("records.db"))) finishRestoredRecords(at("records.db"));
    await beforePlacing?.(manifest);
    const configuration = putInPlace(work, data);
    writeMark(data, { storage: manifest.storage, isComplete: true });
    failpoint("restore.marked");
    rmSync(work, { recursive: true, force: true });
    return { manifest, telemetry, configuration };
  } catch (error) {
    undo(data);
    throw error;
  } finally {
    release();
  }
}

/** Takes away what a restore that was not finished has left. It put only names in place that were not there before. */
function undo(data: string): void {
  const work = join(data, RESTORE_FOLDER);
  for (const name of readPlacing(work)) rmSync(join(data, name), { recursive: true, force: true });
  flushFolder(data);
  failpoint("restore.undone");
  rmSync(work, { recursive: true, force: true });
}

function readPlacing(work: string): readonly string[] {
  if (!existsSync(join(work, PLACING_FILE))) return [];
  const names: unknown = JSON.parse(readFileSync(join(work, PLACING_FILE), "utf8"));
  return Array.isArray(names) ? names.filter((name) => typeof name === "string" && !/^\.*$|\//.test(name)) : [];
}

/** The full backup that a backup of changes adds to lies beside it. */
export function baseOf(file: string, manifest: BackupManifest): string | undefined {
  return manifest.base && join(dirname(file), manifest.base.file);
}

async function addBase(
  work: string,
  { file, keys, manifest }: { readonly file: string; readonly keys: Keys; readonly manifest: BackupManifest },
): Promise<void> {
  const base = baseOf(file, manifest) ?? "";
  if (!existsSync(base)) {
    throw new Error(
      `this backup holds the changes since the full backup ${manifest.base?.file}, which is not beside it`,
    );
  }
  const telemetry = `${DATA_PREFIX}telemetry.db`;
  const read = await readBackup(base, keys, async (entry) => {
    if (entry.name === telemetry) await keep(work, entry);
    else for await (const _ of entry.content);
  });
  if (read.manifest.id !== manifest.base?.id) {
    throw new Error(`${base} is not the full backup that this one adds to: it has another id`);
  }
  applyChanges(join(work, telemetry), join(work, DATA_PREFIX, CHANGES_FILE));
  rmSync(join(work, DATA_PREFIX, CHANGES_FILE));
}

async function keep(work: string, { name, mode, content }: TarFile): Promise<void> {
  const path = join(work, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Files of a data folder are for their owner alone.
  await promises.pipeline(Readable.from(content), createWriteStream(path, { mode: mode & 0o700, flush: true }));
}

/** Gives the place of the configuration file. */
function putInPlace(work: string, data: string): string | undefined {
  const folder = join(work, DATA_PREFIX);
  const hasConfiguration = existsSync(join(work, CONFIG_FILE));
  if (hasConfiguration) renameSync(join(work, CONFIG_FILE), join(folder, RESTORED_CONFIG));
  // The mark of this installation is written at the end.
  const names = readdirSync(folder).filter((name) => name !== MARK_FILE);
  const inTheWay = names.filter((name) => existsSync(join(data, name)));
  if (inTheWay.length > 0) throw new Error(`${data} already holds ${inTheWay.join(", ")}; move it away first`);
  writeSecretFile(join(work, PLACING_FILE), JSON.stringify(names), 0o600);
  for (const name of names) {
    failpoint("restore.placing");
    renameSync(join(folder, name), join(data, name));
  }
  flushFolder(data);
  failpoint("restore.placed");
  return hasConfiguration ? join(data, RESTORED_CONFIG) : undefined;
}

const RESTORED_CONFIG = "busbar.yaml.restored";

/** What a start, or a restore that was cut off, leaves behind may stay. */
function requireEmpty(data: string): void {
  if (!existsSync(data)) return;
  if (!statSync(data).isDirectory()) throw new Error(`${data} is not a folder`);
  if (isRestoreUnfinished(data)) return;
  const installation = readdirSync(data).filter((name) =>
    /^(?:(?:records|telemetry)\.db(?:\.moving)?|seal\.key|admin\.token|pki|installation\.json)$/.test(name),
  );
  if (installation.length > 0) {
    throw new Error(
      `${data} already holds ${installation.join(", ")}; a backup is restored into a new folder. Rename the old one first if it is to be replaced`,
    );
  }
}
