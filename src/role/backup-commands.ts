// What `busbar backup` and `busbar restore` do without a server.
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { promises, Readable } from "node:stream";
import { uuidv7 } from "uuidv7";
import { type ChosenBackup, writeNextBackup } from "#role/backup-folder.ts";
import { readConfiguration } from "#role/backups.ts";
import { createClocks } from "#role/clocks.ts";
import { encrypt, isLocked, type Keys, type Lock, parseIdentities } from "#store/backup/age.ts";
import { partOf } from "#store/backup/backup-files.ts";
import { type ReadBackup, readBackup } from "#store/backup/read-backup.ts";
import { baseOf, type Restored, type RestoreOptions, restoreBackup } from "#store/backup/restore-backup.ts";
import { type WrittenBackup, writeBackup } from "#store/backup/write-backup.ts";
import { version } from "#version";

interface FolderBackup {
  readonly data: string;
  readonly configFile: string | undefined;
  readonly lock: Lock;
  /** A file, or a folder in which the newest are kept. */
  readonly to: { readonly file: string } | { readonly folder: string; readonly keep: number };
}

/** Of a data folder, whether a Busbar runs on it or not. */
async function ofFolder({ data, configFile, lock, to }: FolderBackup): Promise<WrittenBackup & { file: string }> {
  const at = createClocks().now();
  const about = {
    data: resolve(data),
    id: uuidv7(),
    version: version(),
    createdAt: new Date(at).toISOString(),
    configuration: readConfiguration(configFile),
  };
  const write = (chosen: ChosenBackup) => writeBackup({ ...about, ...chosen });
  if ("file" in to) return { ...(await write({ target: to.file, lock })), file: to.file };
  const next = { data: about.data, folder: resolve(to.folder), keep: to.keep, lock, at, ownBase: undefined };
  const { name, ...written } = await writeNextBackup(next, write);
  return { ...written, file: `${to.folder}/${name}` };
}

/** Writes a backup as it comes from a server, encrypted if asked. */
async function save(
  bytes: AsyncIterable<Uint8Array>,
  { file, lock }: { readonly file: string; readonly lock: Lock },
): Promise<void> {
  const part = partOf(file);
  const plain = Readable.from(bytes, { objectMode: false });
  try {
    const output = createWriteStream(part, { mode: 0o600, flush: true });
    await promises.pipeline(isLocked(lock) ? await encrypt(plain, lock) : plain, output);
    // Who encrypts for others cannot look into it.
    if (lock.passphrase !== undefined || !isLocked(lock)) await readBackup(part, { passphrase: lock.passphrase });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Also reads the full backup that it adds to. */
async function verify(file: string, keys: Keys): Promise<ReadBackup> {
  const read = await readBackup(file, keys);
  const base = baseOf(file, read.manifest);
  if (base === undefined) return read;
  if (!existsSync(base)) throw new Error(`${basename(file)} adds to ${basename(base)}, which is not beside it`);
  const { manifest } = await readBackup(base, keys);
  if (manifest.id !== read.manifest.base?.id) {
    throw new Error(`${basename(base)} is not the full backup that ${basename(file)} adds to: it has another id`);
  }
  return read;
}

interface RestoreTo extends Omit<RestoreOptions, "beforePlacing"> {
  /** Holds the records and the telemetry of a backup that has only keys. */
  readonly databaseUrl: string | undefined;
}

async function restore({ databaseUrl, ...options }: RestoreTo): Promise<Restored> {
  return await restoreBackup({
    ...options,
    async beforePlacing({ storage }) {
      if (storage !== "postgres" || databaseUrl === undefined) return;
      const { finishRestoredDatabase } = await import("#store/postgres/finish-restored.ts");
      await finishRestoredDatabase(databaseUrl);
    },
  });
}

export const backupCommands = {
  ofFolder,
  save,
  verify,
  restore,
  parseIdentities: async (text: string) => parseIdentities(text),
};
