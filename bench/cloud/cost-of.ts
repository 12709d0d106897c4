// What a piece of work costs the nodes and PostgreSQL, however busy the machine is: processor time, write-ahead log,
// transactions that write or notify, and rows. A database on several servers costs what all of them cost.
import { readFileSync } from "node:fs";
import pg from "pg";
import type { Busbar } from "../telemetry/busbar.ts";

/** Of one unit of the work. */
export interface Cost {
  readonly nodesMs: number;
  readonly databaseMs: number;
  readonly logBytes: number;
  /** Each has a number, notifications included. */
  readonly transactions: number;
  readonly events: number;
  /** Of all tables with rows of executions, with their indexes. */
  readonly tableBytes: number;
}

export interface Paid {
  readonly nodes: readonly Busbar[];
  /** The address of the database on each of its servers, the one that the nodes connect to first. */
  readonly databases: readonly string[];
}

/** `work` gives how many units it did. */
export async function costOf({ nodes, databases }: Paid, work: () => Promise<number>): Promise<Cost> {
  const clients: pg.Client[] = [];
  try {
    for (const url of databases) {
      const client: pg.Client = new pg.Client(url);
      clients.push(client);
      await client.connect();
      // Citus hides its parts of tables otherwise. A PostgreSQL without it takes the setting and does nothing.
      await client.query("SET citus.override_table_visibility = off");
    }
    const before = await readCounters(clients, nodes);
    const units = await work();
    const after = await readCounters(clients, nodes);
    const each = (of: (counters: Counters) => number) => Math.round(((of(after) - of(before)) / units) * 1_000) / 1_000;
    return {
      nodesMs: each((one) => one.nodesMs),
      databaseMs: each((one) => one.databaseMs),
      logBytes: each((one) => one.logBytes),
      transactions: each((one) => one.transactions),
      events: each((one) => one.events),
      tableBytes: each((one) => one.tableBytes),
    };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

type Counters = Cost;

/** Also the parts of a table that Citus has spread, whose names end with a number. */
const READ = `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS log, pg_current_xact_id()::text AS number,
  (SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relkind IN ('r', 'p') AND regexp_replace(relname, '_\\d+$', '')
    IN ('execution', 'execution_group', 'execution_hour', 'execution_day', 'execution_response', 'audit')) AS bytes`;

async function readCounters(clients: readonly pg.Client[], nodes: readonly Busbar[]): Promise<Counters> {
  const counters = { databaseMs: 0, logBytes: 0, transactions: 0, tableBytes: 0 };
  for (const client of clients) {
    const { rows } = await client.query<Record<"log" | "number" | "bytes", string>>(READ);
    const { rows: processes } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity");
    const [row] = rows;
    counters.databaseMs += sum(processes.map(({ pid }) => processorMs(pid)));
    counters.logBytes += Number(row?.log);
    counters.transactions += Number(row?.number);
    counters.tableBytes += Number(row?.bytes);
  }
  const events = await clients[0]?.query<{ count: string }>("SELECT count(*) FROM event");
  return {
    ...counters,
    nodesMs: sum(nodes.map(({ pid }) => processorMs(pid))),
    events: Number(events?.rows[0]?.count),
  };
}

/** Linux counts it in hundredths of a second. */
const TICK_MS = 10;

function processorMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
