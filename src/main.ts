import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import "#tuning/find-modules.ts";

// Kept beside the packages and not in the shared temporary folder, where others could plant code.
const cache = fileURLToPath(new URL("../node_modules/.cache/busbar", import.meta.url));
enableCompileCache(cache);
// Threads look here by themselves; without it each of them loads a compiler of its own.
process.env["NODE_COMPILE_CACHE"] ??= cache;
// For the threads that start from here on: less memory for young objects than this thread has. That saves 12 MB each.
setFlagsFromString("--max-semi-space-size=2");

const { runCli } = await import("#cli/run-cli.ts");
const { askOnTerminal, askSecretOnTerminal } = await import("#cli/ask-on-terminal.ts");

/** A longer input is no blueprint; the reader reports that. */
const MOST_INPUT = 2 * 1024 * 1024;

async function readInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_INPUT) break;
  }
  return Buffer.concat(chunks);
}

// The reader of our output may stop early, as head does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

function onInterrupt(interrupt: () => void): () => void {
  process.once("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}

const loadBackups = async () => (await import("#role/backup-commands.ts")).backupCommands;

const hasPerson = process.stdin.isTTY && process.stderr.isTTY;

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  ask: hasPerson ? askOnTerminal : undefined,
  askSecret: hasPerson ? askSecretOnTerminal : undefined,
  onInterrupt,
  input: process.stdin,
  readInput,
  backups: {
    ofFolder: async (options) => (await loadBackups()).ofFolder(options),
    encrypt: async (begin, lock) => (await loadBackups()).encrypt(begin, lock),
    save: async (sent, to) => (await loadBackups()).save(sent, to),
    verify: async (file, keys) => (await loadBackups()).verify(file, keys),
    restore: async (options) => (await loadBackups()).restore(options),
    parseIdentities: async (text) => (await loadBackups()).parseIdentities(text),
  },
  writeBrokerFiles: async (options) => (await import("#role/broker-files.ts")).writeBrokerFiles(options),
  spreadDatabase: async (options) => (await import("#role/spread-database.ts")).spreadDatabase(options),
  migrate: async (options) => (await import("#role/migrate.ts")).migrate(options),
  serve: async (config, log) => (await import("#role/serve.ts")).serve(config, log),
});
