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
  /** Tells when the person interrupts (Ctrl-C), once, instead of ending the program; gives the function that ends this. */
  readonly onInterrupt?: ((tell: () => void) => () => void) | undefined;
  /** Standard input as it comes, for what may be long. */
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  /** All of standard input; absent where there is none. */
  readonly readInput?: (() => Promise<Uint8Array>) | undefined;
  readonly serve: (config: Config, log: Logger) => Promise<void>;
  /** Moves an installation between a data folder and a database. */
  readonly migrate: (options: MigrateOptions) => Promise<Migrated>;
};
