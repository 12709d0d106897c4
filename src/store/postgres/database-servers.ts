// Which of the servers of an address is the primary now, and which one was and must not be written to again.
//
// A server that takes over begins a new timeline of the same system, with a higher number. So of two servers that accept
// writes the one with the higher timeline is the primary, and one whose timeline is lower than any that was seen is an
// old primary that came back. Nothing is asked of it, and connections to it are given up. A node keeps what it has seen in its
// data folder: after a restart it does not take an old primary for the current one because no other server answers.

import pg from "pg";
import { type DatabaseServer, requireDatabaseAddress } from "#core/net/database-address.ts";
import { type KeptTimelines, keptTimelinesOf } from "./kept-timelines.ts";
import { serverTrouble } from "./trouble.ts";

const PROBE_TIMEOUT_MS = 2_000;
/** How often it is looked whether another server has become the primary while connections to the old one last. */
const WATCH_EVERY_MS = 5_000;
/** What a server that is started, or that does not accept writes, answers: whoever asked tries again. */
const NOT_NOW = "57P03";

export interface ServerState {
  readonly isWritable: boolean;
  readonly system: string;
  /** Undefined where the server only reads, or does not say. */
  readonly timeline: number | undefined;
}

interface Connected {
  /** Ends the connection without a word. */
  readonly drop: () => void;
}

export interface DatabaseServers {
  /** Undefined where the address names one: it is left to the library. */
  choose(): Promise<DatabaseServer | undefined>;
  /** Throws unless the server of a new connection may be used. Call the result when the connection ends. */
  accept(state: ServerState, connection: Connected): () => void;
  /** Whether the server, or the only one, answers a new connection now, if only by refusing it. */
  isThere(server: DatabaseServer | undefined): Promise<boolean>;
  /** The server of the latest `choose` did not answer, or was refused. */
  forget(): void;
}

const WRITABLE = "NOT pg_is_in_recovery() AND current_setting('default_transaction_read_only') = 'off' AS writable";
const STATE = `SELECT ${WRITABLE}, (SELECT system_identifier::text FROM pg_control_system()) AS system,
  CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`;
/** Not supported, not allowed, not there: a service that runs PostgreSQL for others may hide its log. */
const HIDDEN: ReadonlySet<string> = new Set(["0A000", "42501", "42883"]);

interface StateRow {
  readonly writable: boolean;
  readonly system?: string;
  readonly timeline?: string | null;
}

export async function readServerState(client: pg.ClientBase): Promise<ServerState> {
  const asked = client.query<StateRow>(STATE).catch((error: unknown) => {
    const isHidden = error instanceof Error && "code" in error && HIDDEN.has(String(error.code));
    if (!isHidden) throw error;
    return client.query<StateRow>(`SELECT ${WRITABLE}`);
  });
  const [row] = (await asked).rows;
  const timeline = row?.timeline ?? undefined;
  return {
    isWritable: row?.writable === true,
    system: row?.system ?? "",
    timeline: timeline === undefined ? undefined : Number.parseInt(timeline, 16),
  };
}

/** All connections of a thread share what it knows: one that missed a failover would write to the old primary. */
const known = new Map<string, DatabaseServers>();

export function serversOf(url: string): DatabaseServers {
  let servers = known.get(url);
  if (servers === undefined) {
    servers = createDatabaseServers(url, { kept: keptTimelinesOf(url) });
    known.set(url, servers);
  }
  return servers;
}

interface ServersOptions {
  readonly ask?: (server: DatabaseServer) => Promise<ServerState>;
  readonly kept?: KeptTimelines | undefined;
}

export function createDatabaseServers(url: string, { ask = askServer, kept }: ServersOptions = {}): DatabaseServers {
  const { servers } = requireDatabaseAddress(url);
  const isOne = servers.length === 1;
  const open = new Map<Connected, number>();
  /** The highest timeline of each system that was seen, and those of them that are kept. */
  const seen = new Map(kept?.read());
  const onDisk = new Map(seen);
  let current: DatabaseServer | undefined;
  let finding: Promise<DatabaseServer> | undefined;
  let watch: NodeJS.Timeout | undefined;
  /** All connections to a server that falls silent share one question. */
  const asking = new Map<DatabaseServer | undefined, Promise<boolean>>();

  function isOld({ system, timeline }: ServerState): boolean {
    return timeline !== undefined && timeline < (seen.get(system) ?? timeline);
  }

  /** Before the server is used. A disk that takes nothing is reported by whoever guards the data folder. */
  function keep(system: string, timeline: number): void {
    if (kept === undefined || timeline <= (onDisk.get(system) ?? -1)) return;
    try {
      kept.add(system, timeline);
      onDisk.set(system, timeline);
    } catch {
      // The next connection tries again.
    }
  }

  function learn({ system, timeline }: ServerState): void {
    if (timeline === undefined || timeline < (seen.get(system) ?? -1)) return;
    keep(system, timeline);
    if (timeline === seen.get(system)) return;
    seen.set(system, timeline);
    for (const [connection, its] of open) if (its < timeline) connection.drop();
  }

  async function find(): Promise<DatabaseServer> {
    const asked = await Promise.allSettled(servers.map(ask));
    const states = asked.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    for (const state of states) if (state !== undefined) learn(state);
    const at = states.findIndex((state) => state?.isWritable === true && !isOld(state));
    const found = servers[at];
    if (found !== undefined) return found;
    const reasons = asked.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    // Such as a wrong password: waiting does not help.
    if (reasons.length === servers.length && reasons.every((reason) => serverTrouble(reason) === undefined)) {
      throw reasons[0];
    }
    const problems = asked.map((one, place) => `${nameOf(servers[place])} ${problemOf(one)}`);
    const advice = states.some((state) => state?.isWritable) ? adviceOn(kept) : "";
    throw notNow(`no server of the address is the primary: ${problems.join("; ")}${advice}`);
  }

  /** A connection to an old primary may last, and the commits over it wait for a server that follows it no longer. */
  function look(): void {
    void find().then(
      (found) => {
        current = found;
      },
      () => {},
    );
  }

  return {
    async choose() {
      if (isOne || current !== undefined) return current;
      finding ??= find().finally(() => {
        finding = undefined;
      });
      current = await finding;
      return current;
    },
    accept(state, connection) {
      if (isOld(state)) {
        throw notNow(
          `the server has timeline ${state.timeline}, and another one took over with timeline ${seen.get(state.system)}: ` +
            `it is an old primary, and nothing is written to it${adviceOn(kept)}`,
        );
      }
      if (!isOne && !state.isWritable) throw notNow("the server only reads: it is not the primary");
      learn(state);
      open.set(connection, state.timeline ?? Number.POSITIVE_INFINITY);
      if (!isOne) watch ??= setInterval(look, WATCH_EVERY_MS).unref();
      return () => {
        open.delete(connection);
        if (open.size > 0) return;
        clearInterval(watch);
        watch = undefined;
      };
    },
    isThere(server = servers[0]) {
      let answer = asking.get(server);
      if (answer === undefined) {
        answer = isAnswering(server, ask).finally(() => asking.delete(server));
        asking.set(server, answer);
      }
      return answer;
    },
    forget() {
      current = undefined;
    },
  };
}

async function isAnswering(server: DatabaseServer | undefined, ask: typeof askServer): Promise<boolean> {
  if (server === undefined) return true;
  try {
    await ask(server);
    return true;
  } catch (error) {
    return error instanceof pg.DatabaseError;
  }
}

function nameOf(server: DatabaseServer | undefined): string {
  return `${server?.host}:${server?.port}`;
}

function adviceOn(kept: KeptTimelines | undefined): string {
  if (kept === undefined) return "";
  return (
    ". Start the server that took over. If that one is lost for good, and with it what only it has: stop all nodes, delete " +
    `${kept.file} and the same file of every other node, and start them`
  );
}

function problemOf(asked: PromiseSettledResult<ServerState>): string {
  if (asked.status === "rejected") return String(asked.reason instanceof Error ? asked.reason.message : asked.reason);
  return !asked.value.isWritable ? "only reads" : `is an old primary (timeline ${asked.value.timeline})`;
}

function notNow(message: string): Error {
  return Object.assign(new Error(message), { code: NOT_NOW });
}

async function askServer({ url }: DatabaseServer): Promise<ServerState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "busbar looks for the primary",
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await readServerState(client);
  } finally {
    await client.end().catch(() => {});
  }
}
