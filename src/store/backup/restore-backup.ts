// Restores a backup into a data folder that holds no installation. Everything is written beside its place and checked
// first. The records come into place last, so no Busbar starts on half of a backup.
import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promises, Readable } from "node:stream";

import { applyChanges, finishRestoredTelemetry, type TelemetryCounts } from "#store/series/sqlite/copy-telemetry.ts";
import { finishRestoredRecords } from "#store/sqlite/copy-records.ts";
import { claimFolder } from "#store/sqlite/open-records.ts";
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

const WORK = "restoring";

export async function restoreBackup({ file, data, keys, beforePlacing }: RestoreOptions): Promise<Restored> {
  requireEmpty(data);
  const release = claimFolder(data);
  try {
    const work = join(data, WORK);
    rmSync(work, { recursive: true, force: true });
    const { manifest } = await readBackup(file, keys, (entry) => keep(work, entry));
    if (manifest.base !== undefined) await addBase(work, { file, keys, manifest });
    const at = (name: string) => join(work, DATA_PREFIX, name);
    const hasTelemetry = existsSync(at("telemetry.db"));
    const telemetry = hasTelemetry ? finishRestoredTelemetry(at("telemetry.db")) : undefined;
    if (existsSync(at("records.db"))) finishRestoredRecords(at("records.db"));
    await beforePlacing?.(manifest);
    return { manifest, telemetry, configuration: putInPlace(work, data) };
  } finally {
    rmSync(join(data, WORK), { recursive: true, force: true });
    release();
  }
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
  let configuration: string | undefined;
  if (existsSync(join(work, CONFIG_FILE))) {
    configuration = join(data, "busbar.yaml.restored");
    renameSync(join(work, CONFIG_FILE), configuration);
  }
  const folder = join(work, DATA_PREFIX);
  const isLast = (name: string) => name === "records.db";
  const names = readdirSync(folder).sort((a, b) => Number(isLast(a)) - Number(isLast(b)));
  for (const name of names) {
    flush(data);
    renameSync(join(folder, name), join(data, name));
  }
  flush(data);
  return configuration;
}

/** What a start, or a restore that was cut off, leaves behind may stay. */
function requireEmpty(data: string): void {
  if (!existsSync(data)) return;
  if (!statSync(data).isDirectory()) throw new Error(`${data} is not a folder`);
  const held = readdirSync(data).filter((name) => !/^(?:lock\.db.*|reserve|restoring|backups)$/.test(name));
  const installation = held.filter((name) => /^(?:(?:records|telemetry)\.db|seal\.key|admin\.token|pki)$/.test(name));
  if (installation.length > 0) {
    throw new Error(
      `${data} already holds ${installation.join(", ")}; a backup is restored into a new folder. Rename the old one first if it is to be replaced`,
    );
  }
}

function flush(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
