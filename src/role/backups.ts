// Backups of a running service: sent over HTTP, or written by a schedule. One at a time, each in a thread of its own.
import { existsSync, mkdirSync, promises, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "#config";
import { refuse } from "#core/app-error.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { nextMoment } from "#core/time/schedule.ts";
import { type ChosenBackup, listBackups, writeNextBackup } from "#role/backup-folder.ts";
import type { Backups, LastBackup } from "#service/ports/backups.ts";
import type { Troubles } from "#service/troubles.ts";
import { isLocked } from "#store/backup/age.ts";
import { partOf, SENT_FOLDER, workFolderOf } from "#store/backup/backup-files.ts";
import { runBackup } from "#store/backup/run-backup.ts";
import type { WrittenBackup } from "#store/backup/write-backup.ts";
import { version } from "#version";

interface BackupsNeeds {
  readonly now: () => Instant;
  readonly newId: () => string;
  readonly log: Logger;
  readonly troubles: Pick<Troubles, "report" | "clear">;
}

export interface RunningBackups extends Backups {
  /** Makes the scheduled backup if its time has come. */
  runDue(): Promise<void>;
  /** Gives up the one that is made. */
  stop(): Promise<void>;
}

const TROUBLE = {
  part: "backup",
  message: "the last scheduled backup failed; it is tried again within the hour, and the log says why",
};
const AGAIN_AFTER_MS = 3_600_000;
/** How often the file of a backup that is sent is looked at. */
const LOOK_EVERY_MS = 25;

export function createBackups(needs: BackupsNeeds, config: Config): RunningBackups {
  const { data, backup } = config;
  const folder = backup.folder ?? join(data, "backups");
  const mark = join(data, "last-backup.json");
  const lock = { passphrase: backup.passphrase?.reveal(), recipients: backup.recipients };
  const settings = { data, folder, lock, keep: backup.keep };
  const stopping = new AbortController();
  let last = readLast(mark);
  let running: Promise<unknown> | undefined;
  // What was due while nothing ran is due now.
  let dueAt = next(listBackups(folder).at(-1)?.at ?? needs.now());
  /** The newest full one since the start. */
  let ownBase: string | undefined;
  rmSync(join(data, SENT_FOLDER), { recursive: true, force: true });

  function next(after: number): number {
    if (backup.schedule === "off") return Number.POSITIVE_INFINITY;
    return nextMoment(backup.schedule, after) ?? Number.POSITIVE_INFINITY;
  }

  function note(written: WrittenBackup, at: Instant): void {
    last = { at, bytes: written.bytes };
    try {
      writeFileSync(mark, JSON.stringify(last), { mode: 0o600 });
    } catch (error) {
      needs.log.warn({ err: error }, "the time of the last backup is not noted");
    }
  }

  function begin(chosen: ChosenBackup, signal: AbortSignal): Promise<WrittenBackup> {
    const createdAt = new Date(needs.now()).toISOString();
    const configuration = readConfiguration(config.file);
    const about = { data, id: needs.newId(), version: version(), createdAt, configuration };
    const made = runBackup({ ...about, ...chosen }, AbortSignal.any([signal, stopping.signal]));
    const ended = made.catch(() => {}).then(() => removeRest(chosen.target));
    running = ended;
    void ended.then(() => {
      if (running === ended) running = undefined;
    });
    return made;
  }

  async function writeScheduled(): Promise<void> {
    const at = needs.now();
    const written = await writeNextBackup({ ...settings, at, ownBase }, (options) => begin(options, NEVER));
    if (written.kind === "full") ownBase = written.name;
    note(written, at);
    needs.log.info({ folder, ...written }, "a backup was made");
  }

  return {
    areEncrypted: isLocked(lock),
    last: () => last,
    async send() {
      if (running !== undefined) throw refuse("conflict", "a backup is being made already; try again when it is done");
      const at = needs.now();
      mkdirSync(join(data, SENT_FOLDER), { recursive: true, mode: 0o700 });
      const target = join(data, SENT_FOLDER, `${needs.newId()}.tar.gz`);
      const gone = new AbortController();
      const made = begin({ target, lock }, gone.signal);
      const bytes = follow(target, made);
      // The first piece shows that it could be begun.
      const first = await bytes.next().catch((error: unknown) => {
        throw refuse(
          "storage_unavailable",
          `the backup could not be made: ${error instanceof Error ? error.message : error}`,
        );
      });
      return (async function* () {
        try {
          if (first.done !== true) yield first.value;
          yield* bytes;
          note(await made, at);
        } finally {
          gone.abort();
          rmSync(target, { force: true });
        }
      })();
    },
    async runDue() {
      const now = needs.now();
      if (now < dueAt || running !== undefined) return;
      try {
        await writeScheduled();
        dueAt = next(needs.now());
        needs.troubles.clear(TROUBLE.part);
      } catch (error) {
        dueAt = Math.min(next(now), now + AGAIN_AFTER_MS);
        if (!stopping.signal.aborted) needs.troubles.report(TROUBLE, { err: error });
      }
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const NEVER = new AbortController().signal;

/** The bytes of a file as it grows, until the thread that writes it is done. */
async function* follow(target: string, made: Promise<unknown>): AsyncGenerator<Uint8Array> {
  let state: { readonly isDone: boolean; readonly error?: unknown } = { isDone: false };
  made.then(
    () => (state = { isDone: true }),
    (error: unknown) => (state = { isDone: true, error }),
  );
  let handle: promises.FileHandle | undefined;
  try {
    for (;;) {
      // Taken before the read: what was written before the end is read.
      const { isDone, error } = state;
      if (error !== undefined) throw error;
      handle ??= await openFirst(partOf(target), target);
      const piece = new Uint8Array(PIECE_BYTES);
      const { bytesRead } = (await handle?.read(piece, 0, PIECE_BYTES)) ?? { bytesRead: 0 };
      if (bytesRead > 0) yield piece.subarray(0, bytesRead);
      else if (isDone) return;
      else await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await handle?.close();
  }
}

const PIECE_BYTES = 64 * 1024;

/** The file gets its last name when it is complete. */
async function openFirst(...paths: readonly string[]): Promise<promises.FileHandle | undefined> {
  for (const path of paths) {
    try {
      return await promises.open(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return undefined;
}

/** After a backup that was given up. */
function removeRest(target: string): void {
  rmSync(workFolderOf(target), { recursive: true, force: true });
  rmSync(partOf(target), { force: true });
}

export function readConfiguration(file: string | undefined): string | undefined {
  return file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function readLast(mark: string): LastBackup | undefined {
  try {
    const { at, bytes } = JSON.parse(readFileSync(mark, "utf8")) as Readonly<Record<string, unknown>>;
    return typeof at === "number" && typeof bytes === "number" ? { at: instant(at), bytes } : undefined;
  } catch {
    return undefined;
  }
}
