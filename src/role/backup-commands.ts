// What `busbar backup` and `busbar restore` do without a server.
import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { promises, Readable } from "node:stream";
import { uuidv7 } from "uuidv7";
import { type ChosenBackup, writeNextBackup } from "#role/backup-folder.ts";
import { readConfiguration } from "#role/backups.ts";
import { createClocks } from "#role/clocks.ts";
import {
  checkLock,
  encrypt,
  encryptionOf,
  HEAD_BYTES,
  isLocked,
  type Keys,
  type Lock,
  parseIdentities,
  WrongKey,
} from "#store/backup/age.ts";
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

interface SentBackup {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly by: "server" | "client" | "nobody";
}

/** A server may have encrypted what it sends: twice encrypted, no tool would open it in one step. */
async function encryptSent(
  begin: () => Promise<AsyncIterable<Uint8Array>>,
  { isAsked, ...lock }: Lock & { readonly isAsked: boolean },
): Promise<SentBackup> {
  await checkLock(lock);
  const pieces = (await begin())[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  for (let length = 0; length < HEAD_BYTES; ) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    head.push(value);
    length += value.length;
  }
  const bytes = (async function* () {
    yield* head;
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  if (encryptionOf(Buffer.concat(head)) === "none") {
    if (!isLocked(lock)) return { bytes, by: "nobody" };
    return { bytes: await encrypt(Readable.from(bytes, { objectMode: false }), lock), by: "client" };
  }
  if (!isAsked) return { bytes, by: "server" };
  await bytes.return();
  throw new Error(
    "the server encrypts its backups itself (backup.passphrase or backup.recipients); take this one without --passphrase and --recipient",
  );
}

/** Writes a backup as it comes from a server, and reads it back where a key opens it. */
async function save(
  { bytes, by }: SentBackup,
  { file, passphrase }: { readonly file: string; readonly passphrase: string | undefined },
): Promise<boolean> {
  const part = partOf(file);
  try {
    await promises.pipeline(Readable.from(bytes), createWriteStream(part, { mode: 0o600, flush: true }));
    const isReadBack = await canRead(part, passphrase, by);
    renameSync(part, file);
    return isReadBack;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Throws when it is damaged. */
async function canRead(part: string, passphrase: string | undefined, by: SentBackup["by"]): Promise<boolean> {
  if (by !== "nobody" && passphrase === undefined) return false;
  try {
    await readBackup(part, { passphrase });
    return true;
  } catch (error) {
    // A server may have another passphrase than this machine.
    if (by === "server" && error instanceof WrongKey) return false;
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
  encrypt: encryptSent,
  save,
  verify,
  restore,
  parseIdentities: async (text: string) => parseIdentities(text),
};
