// The folder of scheduled backups. Names give the time: busbar-20261116T030000Z-full.tar.gz, and -changes for a backup
// that adds to the newest full one before it. An index beside a full one notes what it holds.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isLocked, type Lock } from "#store/backup/age.ts";
import type { WrittenBackup } from "#store/backup/write-backup.ts";
import { canCopyChanges } from "#store/series/sqlite/copy-telemetry.ts";

export interface StoredBackup {
  readonly name: string;
  readonly kind: "full" | "changes";
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly at: number;
}

const NAME = /^busbar-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(full|changes)\.tar\.gz(?:\.age)?$/;
/** What a backup that was cut off leaves behind. */
const LEFT_BEHIND = /^busbar-.*\.(?:part|work)$/;

/** What is decided about the next backup of a folder. */
export interface ChosenBackup {
  readonly target: string;
  readonly lock: Lock;
  readonly index?: string | undefined;
  readonly base?: { readonly file: string; readonly index: string } | undefined;
}

interface NextBackup {
  readonly data: string;
  readonly folder: string;
  readonly keep: number;
  readonly lock: Lock;
  /** Unix milliseconds. */
  readonly at: number;
  /** An encrypted full backup is added to only if it is this one: another one may need another passphrase. */
  readonly ownBase: string | undefined;
}

/** The changes since the newest full backup, or a full one; then deletes those that are too many. */
export async function writeNextBackup(
  { data, folder, keep, lock, at, ownBase }: NextBackup,
  write: (chosen: ChosenBackup) => Promise<WrittenBackup>,
): Promise<WrittenBackup & { readonly name: string; readonly deleted: number }> {
  prepareFolder(folder);
  const indexAt = (name: string) => join(folder, indexOfBackup(name));
  const found = baseForChanges(folder);
  const isUsable = found !== undefined && (!isLocked(lock) || found.name === ownBase);
  const base = isUsable && canCopyChanges(join(data, "telemetry.db"), indexAt(found.name)) ? found : undefined;
  const name = nameOfBackup(at, base === undefined ? "full" : "changes", isLocked(lock));
  const adds = base && { file: base.name, index: indexAt(base.name) };
  const written = await write({ target: join(folder, name), lock, index: indexAt(name), base: adds });
  return { ...written, name, deleted: pruneBackups(folder, keep).length };
}

/** Oldest first. */
export function listBackups(folder: string): readonly StoredBackup[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second, kind] = NAME.exec(name) ?? [];
      const bytes = statSync(join(folder, name), { throwIfNoEntry: false })?.size;
      if (kind === undefined || bytes === undefined) return [];
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ name, kind: kind as StoredBackup["kind"], bytes, at }];
    })
    .sort((a, b) => a.at - b.at || Number(a.kind === "changes") - Number(b.kind === "changes"));
}

function nameOfBackup(at: number, kind: StoredBackup["kind"], isEncrypted: boolean): string {
  const time = new Date(at).toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  return `busbar-${time}-${kind}.tar.gz${isEncrypted ? ".age" : ""}`;
}

const indexOfBackup = (name: string) => name.replace(/\.tar\.gz(?:\.age)?$/, ".index");

/** The full backup that the next one adds to; undefined when a new full one is due. */
function baseForChanges(folder: string): StoredBackup | undefined {
  const all = listBackups(folder);
  const base = all.findLast(({ kind }) => kind === "full");
  if (base === undefined || !existsSync(join(folder, indexOfBackup(base.name)))) return undefined;
  const latest = all.at(-1);
  const isLarge = latest?.kind === "changes" && latest.bytes > base.bytes / 2;
  return isLarge ? undefined : base;
}

/** Keeps the newest ones, and the full ones that these add to. */
function pruneBackups(folder: string, keep: number): readonly string[] {
  const all = listBackups(folder);
  const kept = new Set(all.slice(-keep));
  for (const [at, backup] of all.entries()) {
    const base = all.slice(0, at).findLast(({ kind }) => kind === "full");
    if (kept.has(backup) && backup.kind === "changes" && base !== undefined) kept.add(base);
  }
  const gone = all.filter((backup) => !kept.has(backup)).map(({ name }) => name);
  for (const name of gone) {
    rmSync(join(folder, name), { force: true });
    rmSync(join(folder, indexOfBackup(name)), { force: true });
  }
  // Without its changes only the newest full one is added to.
  const newest = all.findLast(({ kind }) => kind === "full");
  for (const { name, kind } of all) {
    if (kind === "full" && name !== newest?.name) rmSync(join(folder, indexOfBackup(name)), { force: true });
  }
  return gone;
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    if (LEFT_BEHIND.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
