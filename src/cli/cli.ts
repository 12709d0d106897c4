import type { Config } from "#config";
import type { Logger } from "#log";

type Output = {
  readonly write: (text: string | Uint8Array) => unknown;
  readonly isTTY?: boolean | undefined;
  readonly hasColors?: (() => boolean) | undefined;
  /** How wide a terminal is. */
  readonly columns?: number | undefined;
  /** Called once when there is room again after `write` returned false. */
  readonly once?: ((event: "drain", listener: () => void) => unknown) | undefined;
};

interface MigrateOptions {
  readonly from: string;
  readonly to: string;
  readonly say: (text: string) => void;
}

interface Migrated {
  readonly telemetry: { readonly devices: number; readonly chunks: number; readonly points: number };
  /** Rows by table. */
  readonly records: ReadonlyMap<string, number>;
}

export interface BackupLock {
  readonly passphrase?: string | undefined;
  /** Recipients of age. */
  readonly recipients?: readonly string[] | undefined;
}

export interface BackupKeys {
  readonly passphrase?: string | undefined;
  /** Identities of age. */
  readonly identities?: readonly string[] | undefined;
}

interface BackupAbout {
  readonly createdAt: string;
  readonly version: string;
  readonly storage: "embedded" | "postgres";
  readonly base: { readonly file: string } | undefined;
}

interface SentBackup {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Who encrypted it. */
  readonly by: "server" | "client" | "nobody";
}

/** Backups without a server. */
interface OfflineBackups {
  ofFolder(options: {
    readonly data: string;
    readonly configFile: string | undefined;
    readonly lock: BackupLock;
    readonly to: { readonly file: string } | { readonly folder: string; readonly keep: number };
  }): Promise<{ readonly file: string; readonly kind: "full" | "changes" | "keys" }>;
  /** Encrypts what comes from a server, unless the server did so. Refuses where it did and `isAsked` wants another key. */
  encrypt(
    begin: () => Promise<AsyncIterable<Uint8Array>>,
    lock: BackupLock & { readonly isAsked: boolean },
  ): Promise<SentBackup>;
  /** Says whether the file could be read back: only with a key that opens it. */
  save(sent: SentBackup, to: { readonly file: string; readonly passphrase: string | undefined }): Promise<boolean>;
  verify(
    file: string,
    keys: BackupKeys,
  ): Promise<{
    readonly manifest: BackupAbout;
    readonly encryption: "none" | "passphrase" | "recipients";
    readonly files: readonly { readonly size: number }[];
  }>;
  restore(options: {
    readonly file: string;
    readonly data: string;
    readonly keys: BackupKeys;
    /** The database that was restored beside it. */
    readonly databaseUrl: string | undefined;
  }): Promise<{
    readonly manifest: BackupAbout;
    readonly telemetry: { readonly chunks: number; readonly points: number; readonly journalRows: number } | undefined;
    readonly configuration: string | undefined;
  }>;
  parseIdentities(text: string): Promise<readonly string[]>;
}

interface BrokerFilesOptions {
  readonly config: Config;
  readonly folder: string;
  readonly pidFile: string | undefined;
}

interface BrokerFiles {
  readonly devices: number;
  readonly unknown: readonly string[];
  readonly changed: readonly string[];
}

/** Everything the command line needs from the world, so that tests can be that world. */
export type Cli = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Answers go to stdout, everything else to stderr. */
  readonly stdout: Output;
  readonly stderr: Output;
  /** Asks the person at the terminal; absent when there is none. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** The same without showing what is typed. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Calls back when the person interrupts (Ctrl-C), once, instead of ending the program; gives the function that ends this. */
  readonly onInterrupt?: ((interrupt: () => void) => () => void) | undefined;
  /** Standard input as it comes, for what may be long. */
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  /** All of standard input; absent where there is none. */
  readonly readInput?: (() => Promise<Uint8Array>) | undefined;
  readonly serve: (config: Config, log: Logger) => Promise<void>;
  /** Moves an installation between a data folder and a database. */
  readonly migrate: (options: MigrateOptions) => Promise<Migrated>;
  readonly backups: OfflineBackups;
  /** Writes the files of an outside broker. */
  readonly writeBrokerFiles: (options: BrokerFilesOptions) => Promise<BrokerFiles>;
  /** Spreads the tables of a database over its servers; false when they were spread before. */
  readonly spreadDatabase: (options: {
    readonly config: Config;
    readonly say: (text: string) => void;
  }) => Promise<boolean>;
};
