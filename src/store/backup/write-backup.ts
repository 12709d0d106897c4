// A backup is a tar file packed by gzip, encrypted by age when asked, so that common tools open it too:
//   backup.json              what it is (backup-manifest.ts)
//   busbar.yaml              the configuration file, if there is one
//   data/...                 the data folder: keys, certificates, rocks; records.db; telemetry.db
//   data/telemetry-changes.db  instead of telemetry.db, in a backup of changes
//   SHA256SUMS               of all files before it, as sha256sum writes them; without it the backup is not complete
// The databases are copied while others write. The telemetry comes first: so each of its devices is in the records.
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline, promises, Readable } from "node:stream";

import { constants, createGzip } from "node:zlib";
import { readMark } from "#store/installation/installation-mark.ts";
import { requireEmbedded } from "#store/installation/open-installation.ts";
import { refuseUnfinished } from "#store/installation/unfinished.ts";
import {
  copyChanges,
  copyTelemetry,
  noteContents,
  readIndexedId,
  readTelemetrySchema,
} from "#store/series/sqlite/copy-telemetry.ts";
import { copyRecords, readRecordsSchema } from "#store/sqlite/copy-records.ts";
import { encrypt, isLocked, type Lock } from "./age.ts";
import { CHANGES_FILE, CONFIG_FILE, DATA_PREFIX, partOf, workFolderOf } from "./backup-files.ts";
import { type BackupManifest, MANIFEST_FILE, renderManifest, SUMS_FILE } from "./backup-manifest.ts";
import { type TarFile, writeTar } from "./tar.ts";

export interface BackupOptions {
  readonly data: string;
  /** Complete or absent, never half written; meanwhile it is `partOf(target)`. */
  readonly target: string;
  readonly id: string;
  readonly version: string;
  readonly createdAt: string;
  /** The text of busbar.yaml. */
  readonly configuration: string | undefined;
  readonly lock: Lock;
  /** A file to note what a full backup holds, so that later ones can hold the changes alone. */
  readonly index?: string | undefined;
  /** The full backup to which this one adds the changes, and the file that notes what it holds. */
  readonly base?: { readonly file: string; readonly index: string } | undefined;
}

export interface WrittenBackup {
  readonly kind: "full" | "changes" | "keys";
  readonly bytes: number;
}

export async function writeBackup(options: BackupOptions): Promise<WrittenBackup> {
  const { data, target, lock } = options;
  const isEmbedded = holdsRecords(data);
  const work = workFolderOf(target);
  const part = partOf(target);
  rmSync(work, { recursive: true, force: true });
  if (isEmbedded) requireRoom(data, dirname(target), options.base === undefined);
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    const files = listFiles(options, isEmbedded ? work : undefined);
    // Each piece is flushed, so that a client gets the beginning at once.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
    const packed = pipeline(Readable.from(writeTar(files), { objectMode: false }), gzip, () => {});
    const output = createWriteStream(part, { mode: 0o600 });
    await promises.pipeline(isLocked(lock) ? await encrypt(packed, lock) : packed, output);
    flush(part);
    const bytes = statSync(part).size;
    renameSync(part, target);
    flush(dirname(target));
    return { kind: !isEmbedded ? "keys" : options.base === undefined ? "full" : "changes", bytes };
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Refuses half of an installation: a backup of it would push the good ones out of their folder. */
function holdsRecords(data: string): boolean {
  refuseUnfinished(data);
  const storage = readMark(data)?.storage;
  const isEmbedded = storage === undefined ? exists(join(data, "records.db")) : storage === "embedded";
  if (!isEmbedded && !exists(join(data, "seal.key"))) throw new Error(`${data} is not a data folder of Busbar`);
  if (isEmbedded) requireEmbedded(data);
  return isEmbedded;
}

/** `work` is for copies of the databases; undefined where there are none. */
async function* listFiles(options: BackupOptions, work: string | undefined): AsyncGenerator<TarFile> {
  const { data, base, index, configuration } = options;
  const sums: string[] = [];
  const summed = (file: TarFile): TarFile => ({ ...file, content: hashing(file, sums) });
  yield summed(fileOfText(MANIFEST_FILE, renderManifest(describe(options, work !== undefined))));
  if (configuration !== undefined) yield summed(fileOfText(CONFIG_FILE, configuration));
  for (const name of keptFiles(data)) {
    // A file may be deleted meanwhile, as an old certificate is.
    const file = readSmallFile(join(data, name), `${DATA_PREFIX}${name}`);
    if (file !== undefined) yield summed(file);
  }
  if (work !== undefined) {
    const telemetry = join(data, "telemetry.db");
    if (exists(telemetry)) {
      const name = base === undefined ? "telemetry.db" : CHANGES_FILE;
      const copy = join(work, name);
      if (base === undefined) copyTelemetry(telemetry, copy);
      else copyChanges(telemetry, base.index, copy);
      if (base === undefined && index !== undefined) {
        rmSync(index, { force: true });
        noteContents(copy, index, options.id);
      }
      yield summed(largeFile(copy, `${DATA_PREFIX}${name}`));
      rmSync(copy);
    }
    const records = join(work, "records.db");
    copyRecords(join(data, "records.db"), records);
    yield summed(largeFile(records, `${DATA_PREFIX}records.db`));
  }
  yield fileOfText(SUMS_FILE, sums.join(""));
}

function describe(options: BackupOptions, isEmbedded: boolean): BackupManifest {
  const { id, createdAt, version, base, data } = options;
  const telemetry = join(data, "telemetry.db");
  return {
    id,
    createdAt,
    version,
    storage: isEmbedded ? "embedded" : "postgres",
    schemas: isEmbedded
      ? {
          records: readRecordsSchema(join(data, "records.db")),
          telemetry: exists(telemetry) ? readTelemetrySchema(telemetry) : 0,
        }
      : undefined,
    base: base && { id: readIndexedId(base.index), file: base.file },
  };
}

/** Of no use elsewhere, or copied in another way. */
const LEFT_OUT =
  /^(?:lock\.db.*|reserve|(?:records|telemetry)\.db.*|backups|backup-work|last-backup\.json|restoring|installation\.json|.*\.(?:new|unreadable|unreadable-\d+))$/;

function keptFiles(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replace(/^\/+/, ""))
    .filter((name) => !LEFT_OUT.test(name.split("/")[0] ?? ""))
    .sort();
}

async function* hashing({ name, content }: TarFile, sums: string[]): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
  sums.push(`${hash.digest("hex")}  ${name}\n`);
}

function fileOfText(name: string, text: string, mode = 0o600): TarFile {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, mode, modifiedAt: 0, content: Readable.from([bytes]) };
}

function readSmallFile(path: string, name: string): TarFile | undefined {
  try {
    const { mode, mtimeMs } = statSync(path);
    const bytes = readFileSync(path);
    const content = Readable.from(bytes.length === 0 ? [] : [bytes]);
    return { name, size: bytes.length, mode: mode & 0o777, modifiedAt: mtimeMs / 1000, content };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function largeFile(path: string, name: string): TarFile {
  const { size, mtimeMs } = statSync(path);
  const content = createReadStream(path, { highWaterMark: 256 * 1024 });
  return { name, size, mode: 0o600, modifiedAt: mtimeMs / 1000, content };
}

/** Room for the copy and for the packed file, and some more for the service that goes on writing. */
function requireRoom(data: string, folder: string, isFull: boolean): void {
  const files = ["records.db", ...(isFull ? ["telemetry.db"] : [])].flatMap((name) => [name, `${name}-wal`]);
  const bytes = files.reduce(
    (sum, name) => sum + (statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const needed = 2 * bytes + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  const megabytes = (count: number) => Math.ceil(count / 1024 / 1024);
  throw new Error(
    `a backup needs about ${megabytes(needed)} MiB of free disk in ${folder} meanwhile, and ${megabytes(bavail * bsize)} MiB are free`,
  );
}

const SPARE_BYTES = 32 * 1024 * 1024;

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function flush(path: string): void {
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}
