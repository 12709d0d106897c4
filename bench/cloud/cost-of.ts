// What a piece of work costs the nodes and PostgreSQL, however busy the machine is: processor time, write-ahead log,
// transactions that write or notify, and rows.
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

interface Paid {
  readonly nodes: readonly Busbar[];
  readonly database: string;
}

/** `work` gives how many units it did. */
export async function costOf({ nodes, database }: Paid, work: () => Promise<number>): Promise<Cost> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const before = await readCounters(client, nodes);
    const units = await work();
    const after = await readCounters(client, nodes);
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
    await client.end();
  }
}

type Counters = Cost;

async function readCounters(client: pg.Client, nodes: readonly Busbar[]): Promise<Counters> {
  const { rows } = await client.query<Record<"log" | "number" | "events" | "bytes", string>>(
    `SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS log, pg_current_xact_id()::text AS number,
       (SELECT count(*) FROM event) AS events,
       (SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(ARRAY['execution', 'execution_group', 'execution_hour',
         'execution_day', 'execution_response', 'audit']) AS name) AS bytes`,
  );
  const { rows: processes } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity");
  const [row] = rows;
  return {
    nodesMs: sum(nodes.map(({ pid }) => processorMs(pid))),
    databaseMs: sum(processes.map(({ pid }) => processorMs(pid))),
    logBytes: Number(row?.log),
    transactions: Number(row?.number),
    events: Number(row?.events),
    tableBytes: Number(row?.bytes),
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
