import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { describeLock, isLocked, type Lock, readLock, withKeys } from "#cli/backup/backup-keys.ts";
import type { Cli } from "#cli/cli.ts";
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
  readonly config?: string;
};

const ABOUT = `
A backup is taken while Busbar runs. It holds everything that was acknowledged before: records, telemetry, keys and
busbar.yaml. It comes from the server (--url, by default the local one), or with --data straight from a data folder,
whether or not a Busbar runs on it. It is a tar file packed by gzip; encrypted, it is in the format of age.

It holds every key of the installation. Encrypt it with --recipient or --passphrase, or keep it as safe as the gateway.
A set BUSBAR_BACKUP_PASSPHRASE (or the setting backup.recipients) always encrypts, here and on the server.

With --folder the telemetry is incremental: a full backup first, then the changes since it. The setting backup.schedule
does the same by itself.`;

export function addBackupCommands(backup: Command, cli: Cli): void {
  backup
    .argument("[file]", "file to write, or - for standard output (default busbar-TIME.tar.gz here)")
    .option("--data <folder>", "take it from this data folder, without a server")
    .option("--folder <folder>", "with --data: write the next backup into a folder that keeps several")
    .option("--keep <count>", "with --folder: how many to keep (default: the setting backup.keep, 14)", parseKeep)
    .option("--recipient <recipient>", "encrypt it for an age recipient (age1...); may be repeated", collect)
    .option("--passphrase", "encrypt it with a passphrase, which is asked for");
  addConfigOption(addConnectionOptions(backup)).addHelpText("after", ABOUT);
  backup.action(async (file: string | undefined, flags: BackupFlags) => {
    if (flags.folder !== undefined && (flags.data === undefined || file !== undefined)) {
      throw new UsageError("--folder needs --data, and takes no file: it names the files itself");
    }
    if (file !== undefined) requireNew(cli, file);
    const settings = await readSettings(cli, flags);
    const lock = await readLock(cli, flags, settings.config);
    if (flags.data !== undefined) {
      await backupFolder(cli, { ...flags, data: flags.data, file, lock, settings });
    } else await backupServer(cli, { flags, file, lock });
  });
  addExamples(
    backup,
    "backup",
    "backup monday.tar.gz.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    "backup --data /var/lib/busbar --folder /mnt/backups --keep 30",
  );
  addVerifyCommand(backup, cli);
}

function requireNew(cli: Cli, name: string): string {
  const path = resolve(cli.cwd, name);
  if (name !== "-" && existsSync(path)) {
    throw new UsageError(`${name} is there already; a backup never replaces a file`);
  }
  return path;
}

async function backupServer(
  cli: Cli,
  { flags, file, lock }: { readonly flags: BackupFlags; readonly file: string | undefined; readonly lock: Lock },
): Promise<void> {
  const { client, url } = await openSession(cli, { ...flags, output: "table" });
  const sent = await cli.backups.encrypt(client.backups.create, lock);
  const about = sent.by === "server" ? "the server encrypted it, as its settings ask" : describeLock(lock);
  if (file === "-") {
    for await (const piece of sent.bytes) cli.stdout.write(piece);
    remark(cli, `a backup of ${url.host}: ${about}`);
    return;
  }
  const name = file ?? nameOf(new Date(), sent.by !== "nobody");
  const isReadBack = await cli.backups.save(sent, { file: requireNew(cli, name), passphrase: lock.passphrase });
  const check = isReadBack
    ? "read back and compared with its checksums"
    : "complete, not read back: no key opens it here";
  remark(cli, `a backup of ${url.host}, ${check}; ${about}:`);
  cli.stdout.write(`${name}\n`);
}

interface FolderFlags extends BackupFlags {
  readonly data: string;
  readonly file: string | undefined;
  readonly lock: Lock;
  readonly settings: Awaited<ReturnType<typeof readSettings>>;
}

async function backupFolder(cli: Cli, { data, folder, keep, file: given, lock, settings }: FolderFlags): Promise<void> {
  if (given === "-") throw new UsageError("with --data, give a file");
  const name = given ?? nameOf(new Date(), isLocked(lock));
  const to =
    folder === undefined
      ? { file: requireNew(cli, name) }
      : { folder: resolve(cli.cwd, folder), keep: keep ?? settings.config.backup.keep };
  const options = { data: resolve(cli.cwd, data), configFile: settings.file, lock, to };
  const { file, kind } = await cli.backups.ofFolder(options);
  if (kind === "keys") remark(cli, IN_POSTGRES);
  if (kind === "changes") remark(cli, "the telemetry in it is what has changed since the last full backup beside it");
  remark(cli, describeLock(lock));
  cli.stdout.write(`${folder === undefined ? name : file}\n`);
}

const IN_POSTGRES =
  "records and telemetry are in PostgreSQL: back them up with pg_dump. This backup holds the keys without which they cannot be read";

/** Where database.url, backup.recipients and other settings are, if not in busbar.yaml here. */
function addConfigOption(command: Command): Command {
  return command.option("--config <file>", "configuration file to read instead of busbar.yaml");
}

const readSettings = (cli: Cli, { config }: { readonly config?: string }) =>
  loadConfig({
    flags: config === undefined ? [] : ["--config", config],
    env: cli.env,
    cwd: cli.cwd,
    readFile: readFileIfPresent,
  });

function nameOf(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  return `busbar-${time}.tar.gz${isEncrypted ? ".age" : ""}`;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 on.");
  return Number(text);
}

type OpenFlags = { readonly identity?: string; readonly config?: string };

function addVerifyCommand(backup: Command, cli: Cli): void {
  const verify = addIdentityOption(backup.command("verify"))
    .description("Check that a backup is complete and undamaged.")
    .argument("<file>", "the backup")
    .addOption(new Option("-o, --output <format>", "how to print").choices(["table", "json", "yaml"]).default("table"))
    .action(async (file: string, flags: OpenFlags & { readonly output: string }) => {
      const path = resolve(cli.cwd, file);
      const { config } = await readSettings(cli, flags);
      const { manifest, files, encryption } = await withKeys(cli, { path, identity: flags.identity, config }, (keys) =>
        cli.backups.verify(path, keys),
      );
      const { createdAt, version, storage, base } = manifest;
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      const answer = {
        file,
        encrypted: encryption !== "none",
        created_at: createdAt,
        version,
        storage,
        files: files.length,
        bytes,
        base: base?.file,
      };
      const fields = {
        ...answer,
        encrypted: ENCRYPTED[encryption],
        base: base?.file ?? "none: it is complete in itself",
      };
      await printRecord(cli, flags, { answer, fields: { backup: "complete, all checksums match", ...fields } });
    });
  addExamples(
    verify,
    "backup verify busbar-20261116T030000Z.tar.gz",
    "backup verify monday.tar.gz.age --identity key.txt",
  );
}

const ENCRYPTED = {
  none: "no: who has the file has every key in it",
  passphrase: "yes, by a passphrase",
  recipients: "yes, for recipients",
};

export function addRestoreCommand(restore: Command, cli: Cli): void {
  addIdentityOption(restore)
    .argument("<file>", "the backup; a backup of changes needs its full backup beside it")
    .requiredOption("--data <folder>", "data folder to make: one that holds no installation")
    .addHelpText(
      "after",
      `
The backup is checked before anything is put in place. A backup of an older version is upgraded by the next start; one of
a newer version is refused. Tokens that were revoked after the backup are valid again: look at busbar token list.
Commands that were under way are not sent again. A restore that was cut off is started over by the same command. The old installation must not go on with the same devices and cloud.

Where records and telemetry are in PostgreSQL, restore them first, with pg_restore, and set database.url
(BUSBAR_DATABASE_URL): this command then prepares the database too.`,
    )
    .action(async (file: string, flags: OpenFlags & { readonly data: string }) => {
      const path = resolve(cli.cwd, file);
      const data = resolve(cli.cwd, flags.data);
      const { config } = await readSettings(cli, flags);
      const databaseUrl = config.database.url?.reveal();
      const restored = await withKeys(cli, { path, identity: flags.identity, config }, (keys) =>
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
  "it holds the keys only: restore records and telemetry with pg_restore, and then restore this backup into an empty folder with BUSBAR_DATABASE_URL set, so that no command is sent again";
const WITH_DATABASE = "it holds the keys; the database is prepared: commands that were under way are not sent again";

function addIdentityOption(command: Command): Command {
  return addConfigOption(command).option("--identity <file>", "age identity that opens an encrypted backup");
}
