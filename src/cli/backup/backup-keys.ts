// How a backup is encrypted, and what opens it: flags first, then the settings backup.passphrase and backup.recipients.
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { resolve } from "node:path";
import type { BackupKeys, BackupLock, Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Config } from "#config";

export type Lock = BackupLock & { readonly recipients: readonly string[]; readonly isAsked: boolean };

interface LockFlags {
  readonly recipient?: readonly string[];
  readonly passphrase?: true;
}

/** A passphrase or recipients that are set always encrypt: a key must not lie in a plain file because a flag was forgotten. */
export async function readLock(cli: Cli, { recipient = [], passphrase }: LockFlags, config: Config): Promise<Lock> {
  if (recipient.length > 0 && passphrase !== undefined) {
    throw new UsageError("give --recipient or --passphrase, not both");
  }
  if (recipient.length > 0) return { recipients: recipient, isAsked: true };
  const set = config.backup.passphrase?.reveal();
  if (passphrase === undefined) return { passphrase: set, recipients: config.backup.recipients, isAsked: false };
  const given = set ?? (await cli.askSecret?.(QUESTION));
  if (!given) throw new UsageError("nobody is there to type the passphrase; give it as BUSBAR_BACKUP_PASSPHRASE");
  return { passphrase: given, recipients: [], isAsked: true };
}

export function isLocked({ passphrase, recipients }: Lock): boolean {
  return passphrase !== undefined || recipients.length > 0;
}

/** One sentence for the person who takes it. */
export function describeLock(lock: Lock): string {
  if (!isLocked(lock)) {
    return "it is not encrypted and holds every key of the installation: keep it as safe as the gateway";
  }
  const origin = lock.isAsked ? "" : ", as the settings ask";
  if (lock.passphrase !== undefined) return `it is encrypted by the passphrase${origin}`;
  const { length } = lock.recipients;
  return `it is encrypted for ${length} ${length === 1 ? "recipient" : "recipients"}${origin}`;
}

/** Asks for a passphrase only if the backup needs one that is not set. */
export async function withKeys<Result>(
  cli: Cli,
  { path, identity, config }: { readonly path: string; readonly identity: string | undefined; readonly config: Config },
  use: (keys: BackupKeys) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  if (identity !== undefined) {
    return await use({
      identities: await cli.backups.parseIdentities(readFileSync(resolve(cli.cwd, identity), "utf8")),
    });
  }
  const passphrase = config.backup.passphrase?.reveal();
  if (passphrase !== undefined || !isEncrypted(path)) return await use({ passphrase });
  const typed = await cli.askSecret?.(QUESTION);
  if (!typed) {
    throw new UsageError(
      "the backup is encrypted; give its passphrase as BUSBAR_BACKUP_PASSPHRASE, or an age identity with --identity FILE",
    );
  }
  return await use({ passphrase: typed });
}

const QUESTION = "Passphrase of the backup: ";
const AGE_MARK = "age-encryption.org/";

/** What else the file may be shows when it is read. */
function isEncrypted(path: string): boolean {
  const handle = openSync(path, "r");
  try {
    const first = Buffer.alloc(AGE_MARK.length);
    readSync(handle, first);
    return first.toString("latin1") === AGE_MARK;
  } finally {
    closeSync(handle);
  }
}
