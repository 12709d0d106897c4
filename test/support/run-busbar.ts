import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { runCli } from "#cli/run-cli.ts";
import { backupCommands } from "#role/backup-commands.ts";
import { writeBrokerFiles } from "#role/broker-files.ts";
import { spreadDatabase } from "#role/spread-database.ts";

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

type World = {
  readonly env?: Cli["env"];
  readonly cwd?: string;
  /** The person at the terminal, by what they answer: always the same, or one after the other and then nothing. */
  readonly answer?: string | readonly string[];
  /** Standard input. */
  readonly input?: string | Uint8Array;
  /** Standard input as it comes. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly serve?: Cli["serve"];
  readonly isTTY?: boolean;
  /** Hears what is written, to stdout or stderr, as it is written. */
  readonly onWrite?: (text: string) => void;
  /** When the person presses Ctrl-C. */
  readonly interrupt?: Promise<void>;
};

/** Runs a command of the command line in this process. Words are given as a list, or as one text split at spaces. */
export async function runBusbar(command: string | readonly string[], world: World = {}): Promise<Ran> {
  const written = { out: "", err: "" };
  const decoder = new TextDecoder("latin1");
  const stream = (name: "out" | "err") => ({
    write: (text: string | Uint8Array) => {
      const said = typeof text === "string" ? text : decoder.decode(text);
      written[name] += said;
      world.onWrite?.(said);
    },
    isTTY: world.isTTY,
    hasColors: () => world.isTTY === true,
  });
  const { answer, input } = world;
  let asked = 0;
  const ask = (question: string) => {
    written.err += question;
    asked += 1;
    return Promise.resolve((typeof answer === "string" ? answer : answer?.[asked - 1]) ?? "");
  };
  const code = await runCli(typeof command === "string" ? command.split(" ").filter(Boolean) : command, {
    env: world.env ?? {},
    cwd: world.cwd ?? "/nonexistent",
    stdout: stream("out"),
    stderr: stream("err"),
    ask: answer === undefined ? undefined : ask,
    askSecret: answer === undefined ? undefined : (question) => ask(`(hidden) ${question}`),
    onInterrupt: (interrupt) => {
      void world.interrupt?.then(interrupt);
      return () => {};
    },
    input: world.stdin,
    readInput: input === undefined ? undefined : () => Promise.resolve(Buffer.from(input as string)),
    backups: backupCommands,
    writeBrokerFiles: (options) => writeBrokerFiles(options),
    spreadDatabase: (options) => spreadDatabase(options),
    migrate: () => Promise.reject(new Error("nothing is moved here")),
    serve: world.serve ?? (() => Promise.resolve()),
  });
  return { code, ...written };
}

/** A folder of its own for the length of `use`. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-cli-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
