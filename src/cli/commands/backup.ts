import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { BackupKeys, BackupLock, Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, collect } from "#cli/client-command.ts";
import { printRecord, remark } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import { loadConfig } from "#config";

type BackupFlags = Omit<ClientFlags, "output"> & {
  readonly data?: string;
  readonly folder?: string;
  readonly keep?: number;
  readonly recipient?: readonly string[];
  readonly passphrase?: true;
};

const ABOUT = `
A backup is taken while Busbar goes on, and holds everything that was acknowledged before: records, telemetry, keys and
busbar.yaml. It comes from the server (--url, by default the local one), or with --data straight from a data folder,
whether or not a Busbar runs on it. It is a tar file packed by gzip; encrypted, it is in the format of age.

It holds every key of the installation. Encrypt it with --recipient or --passphrase, or keep it as safe as the gateway.
BUSBAR_BACKUP_PASSPHRASE gives a passphrase where nobody can type it.

With --folder the telemetry is incremental: a full backup first, then the changes since it. The setting backup.schedule
does the same by itself.`;

export function addBackupCommands(backup: Command, cli: Cli): void {
  backup
    .argument("[file]", "file to write, or - for standard output (default busbar-TIME.tar.gz here)")
    .option("--data <folder>", "take it from this data folder, without a server")
    .option("--folder <folder>", "with --data: write the next backup into a folder that keeps several")
    .option("--keep <count>", "with --folder: how many to keep (default 14)", parseKeep)
    .option("--recipient <recipient>", "encrypt it for an age recipient (age1...); may be repeated", collect)
    .option("--passphrase", "encrypt it by a passphrase, which is asked for");
  addConnectionOptions(backup).addHelpText("after", ABOUT);
  backup.action(async (file: string | undefined, flags: BackupFlags) => {
    if (flags.folder !== undefined && (flags.data === undefined || file !== undefined)) {
      throw new UsageError("--folder needs --data, and takes no file: it names the files itself");
    }
    const lock = await readLock(cli, flags);
    const name = file ?? nameOf(new Date(), lock);
    const path = resolve(cli.cwd, name);
    if (file !== "-" && flags.folder === undefined && existsSync(path)) {
      throw new UsageError(`${name} is there already; a backup never replaces a file`);
    }
    if (flags.data !== undefined) return await backupFolder(cli, { ...flags, data: flags.data, name, path, lock });
    const { client, url } = await openSession(cli, { ...flags, output: "table" });
    const bytes = await client.backups.create();
    if (file === "-") {
      if (lock.passphrase !== undefined || lock.recipients.length > 0) {
        throw new UsageError("standard output takes no encryption here: pipe it through age");
      }
      for await (const piece of bytes) cli.stdout.write(piece);
      return;
    }
    await cli.backups.save(bytes, { file: path, lock });
    remark(cli, `a backup of ${url.host}, read back and compared with its checksums:`);
    cli.stdout.write(`${name}\n`);
  });
  addExamples(
    backup,
    "backup",
    "backup monday.tar.gz.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    "backup --data /var/lib/busbar --folder /mnt/backups --keep 30",
  );
  addVerifyCommand(backup, cli);
}

async function backupFolder(
  cli: Cli,
  {
    data,
    folder,
    keep = 14,
    name,
    path,
    lock,
  }: BackupFlags & { data: string; name: string; path: string; lock: Locked },
): Promise<void> {
  if (name === "-") throw new UsageError("with --data, give a file");
  const { file: configFile } = await readSettings(cli);
  const to = folder === undefined ? { file: path } : { folder: resolve(cli.cwd, folder), keep };
  const { file, kind } = await cli.backups.ofFolder({ data: resolve(cli.cwd, data), configFile, lock, to });
  if (kind === "keys") remark(cli, IN_POSTGRES);
  if (kind === "changes") remark(cli, "the telemetry in it is what has changed since the last full backup beside it");
  cli.stdout.write(`${folder === undefined ? name : file}\n`);
}

const IN_POSTGRES =
  "records and telemetry are in PostgreSQL: back them up with pg_dump. This backup holds the keys without which they cannot be read";

const readSettings = (cli: Cli) => loadConfig({ flags: [], env: cli.env, cwd: cli.cwd, readFile: readFileIfPresent });

type Locked = BackupLock & { readonly recipients: readonly string[] };

async function readLock(cli: Cli, { recipient = [], passphrase }: BackupFlags): Promise<Locked> {
  if (passphrase === undefined) return { recipients: recipient };
  if (recipient.length > 0) throw new UsageError("give --recipient or --passphrase, not both");
  const given = cli.env["BUSBAR_BACKUP_PASSPHRASE"] || (await cli.askSecret?.("Passphrase of the backup: "));
  if (!given) throw new UsageError("nobody is there to type the passphrase; give it as BUSBAR_BACKUP_PASSPHRASE");
  return { passphrase: given, recipients: [] };
}

function nameOf(now: Date, { passphrase, recipients }: Locked): string {
  const time = now.toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  return `busbar-${time}.tar.gz${passphrase !== undefined || recipients.length > 0 ? ".age" : ""}`;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}

type OpenFlags = { readonly identity?: string };

function addVerifyCommand(backup: Command, cli: Cli): void {
  const verify = addIdentityOption(backup.command("verify"))
    .description("Check that a backup is complete and undamaged.")
    .argument("<file>", "the backup")
    .addOption(new Option("-o, --output <format>", "how to print").choices(["table", "json", "yaml"]).default("table"))
    .action(async (file: string, flags: OpenFlags & { readonly output: string }) => {
      const path = resolve(cli.cwd, file);
      const { manifest, files } = await withKeys(cli, path, flags, (keys) => cli.backups.verify(path, keys));
      const { createdAt, version, storage, base } = manifest;
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      const answer = { file, created_at: createdAt, version, storage, files: files.length, bytes, base: base?.file };
      const fields = { ...answer, base: base?.file ?? "none: it is complete in itself" };
      await printRecord(cli, flags, { answer, fields: { backup: "complete, all checksums match", ...fields } });
    });
  addExamples(
    verify,
    "backup verify busbar-20261116T030000Z.tar.gz",
    "backup verify monday.tar.gz.age --identity key.txt",
  );
}

export function addRestoreCommand(restore: Command, cli: Cli): void {
  addIdentityOption(restore)
    .argument("<file>", "the backup; one of changes needs the full one that it adds to beside it")
    .requiredOption("--data <folder>", "data folder to make: one that holds no installation")
    .addHelpText(
      "after",
      `
The backup is checked before anything is put in place. A backup of an older version is upgraded by the next start; one of
a newer version is refused. Tokens that were revoked after the backup are valid again: look at busbar token list.
Commands that were under way are not sent again. The old installation must not go on with the same devices and cloud.

Where records and telemetry are in PostgreSQL, restore them first, with pg_restore, and set database.url
(BUSBAR_DATABASE_URL): this command then prepares the database too.`,
    )
    .action(async (file: string, flags: OpenFlags & { readonly data: string }) => {
      const path = resolve(cli.cwd, file);
      const data = resolve(cli.cwd, flags.data);
      const databaseUrl = (await readSettings(cli)).config.database.url?.reveal();
      const restored = await withKeys(cli, path, flags, (keys) =>
        cli.backups.restore({ file: path, data, keys, databaseUrl }),
      );
      const { manifest, telemetry, configuration } = restored;
      remark(cli, `restored the state of ${manifest.createdAt}, made by Busbar ${manifest.version}`);
      if (telemetry !== undefined) {
        remark(
          cli,
          `${telemetry.points} points in ${telemetry.chunks} chunks, and ${telemetry.journalRows} rows of open hours`,
        );
      }
      if (manifest.storage === "postgres") remark(cli, databaseUrl === undefined ? KEYS_ONLY : WITH_DATABASE);
      if (configuration !== undefined) {
        remark(
          cli,
          `its configuration file is ${configuration}: compare it, and put it where this machine has its own`,
        );
      }
      remark(cli, `tokens that were revoked since then are valid again; busbar token list shows them`);
      cli.stdout.write(`${flags.data}\n`);
    });
  addExamples(restore, "restore busbar-20261116T030000Z.tar.gz --data /var/lib/busbar");
}

const KEYS_ONLY =
  "it holds the keys only: restore records and telemetry with pg_restore, set BUSBAR_DATABASE_URL, and restore again";
const WITH_DATABASE = "it holds the keys; the database is prepared: commands that were under way are not sent again";

function addIdentityOption(command: Command): Command {
  return command.option("--identity <file>", "age identity that opens an encrypted backup");
}

/** Asks for a passphrase only if the backup needs one. */
async function withKeys<Result>(
  cli: Cli,
  path: string,
  { identity }: OpenFlags,
  use: (keys: BackupKeys) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) throw new UsageError(`there is no file ${path}`);
  if (identity !== undefined) {
    return await use({
      identities: await cli.backups.parseIdentities(readFileSync(resolve(cli.cwd, identity), "utf8")),
    });
  }
  const passphrase = cli.env["BUSBAR_BACKUP_PASSPHRASE"] || undefined;
  if (passphrase !== undefined || !isEncrypted(path)) return await use({ passphrase });
  const typed = await cli.askSecret?.("Passphrase of the backup: ");
  if (!typed) {
    throw new UsageError(
      "the backup is encrypted; give its passphrase as BUSBAR_BACKUP_PASSPHRASE, or an age identity with --identity FILE",
    );
  }
  return await use({ passphrase: typed });
}

/** A packed file begins with the mark of gzip; what else it may be is told when it is read. */
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

const AGE_MARK = "age-encryption.org/";
