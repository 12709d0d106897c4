// Hands writes to the database in batches. While one batch is under way the next one gathers, so that the slower the
// server answers, the more writes share a transaction.
import type { Pool, PoolClient } from "pg";
import { AppError, refuse } from "#core/app-error.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import type { Database } from "#store/database.ts";
import type { Writer } from "#store/records/writer.ts";
import { writeNamed } from "#store/records/writes.ts";
import { type Added, commitBatch } from "./commit-batch.ts";
import { lockNumber } from "./lock-number.ts";
import type { Outcome, Write } from "./run-writes.ts";
import type { StatementNeeds } from "./statements.ts";
import { serverTrouble } from "./trouble.ts";

interface Waiting extends Write {
  readonly bytes: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_WAITING = 20_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_BATCH = 250;

interface Lane {
  waiting: Waiting[];
  running: Promise<void> | undefined;
}

interface Connections extends Added {
  /** Its connections send statements without waiting for the answers to earlier ones. */
  readonly pool: Pool;
  readonly reader: Database;
  readonly damage: StatementNeeds;
  /** How many batches run at the same time. */
  readonly lanes: number;
}

export function createWriter({
  pool,
  reader,
  damage: log,
  lanes: laneCount,
  onAdded,
  eventBytes,
}: Connections): Writer {
  const damage = { ...log, onAdded, eventBytes };
  const budget = createByteBudget("records_writes", MAX_WAITING_BYTES);
  const lanes: readonly Lane[] = Array.from({ length: laneCount }, () => ({ waiting: [], running: undefined }));
  /** Writes whose keys are being looked up: they have no lane yet. */
  const lookups = new Set<Promise<void>>();
  let total = 0;
  let isClosed = false;

  /** Writes with the same first key keep their order, because they share a lane. */
  function laneOf({ keys }: Write): Lane {
    const [key] = keys;
    const index = key === undefined ? 0 : Number(BigInt.asUintN(32, lockNumber(key))) % lanes.length;
    const lane = lanes[index];
    if (lane === undefined) throw new Error("there is no such lane");
    return lane;
  }

  function add(write: Waiting): void {
    const lane = laneOf(write);
    lane.waiting.push(write);
    lane.running ??= work(lane);
  }

  async function work(lane: Lane): Promise<void> {
    // Writes of one turn of the event loop go together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (lane.waiting.length > 0) await commit(lane.waiting.splice(0, MAX_BATCH));
    lane.running = undefined;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      const client = await connect(pool);
      outcomes = await commitOn(client, damage, batch);
    } catch (error) {
      const refusal = error instanceof AppError ? error : (serverTrouble(error) ?? error);
      for (const write of batch) settle(write, undefined, refusal);
      return;
    }
    for (const [index, write] of batch.entries()) settle(write, outcomes[index], new Error("a write has no outcome"));
  }

  function settle(write: Waiting, outcome: Outcome | undefined, otherwise: unknown): void {
    total--;
    budget.give(write.bytes);
    if (outcome === undefined) write.reject(otherwise);
    else if ("result" in outcome) write.resolve(outcome.result);
    else if ("refusals" in outcome) {
      const refused = new AppError(outcome.refusals);
      refused.cause = outcome.cause;
      write.reject(refused);
    } else write.reject(new Error("a write failed", { cause: outcome.fault }));
  }

  const run = async (name: Write["name"], input: unknown, bytes: number): Promise<unknown> => {
    if (isClosed) throw refuse("storage_unavailable", "the records are closed");
    if (total >= MAX_WAITING) throw refuse("overloaded", "too many writes wait for the database");
    if (!budget.take(bytes)) throw refuse("overloaded", "too many bytes wait for the database");
    total++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const given = { name, input, bytes, parts: writeNamed(name).parts?.(input), resolve, reject };
    const lookup = locksOf(name, input, reader)
      .then(
        (keys) => add({ ...given, keys }),
        (error: unknown) => settle({ ...given, keys: [] }, undefined, error),
      )
      .finally(() => lookups.delete(lookup));
    lookups.add(lookup);
    return promise;
  };

  return {
    run: (name, input, { bytes = approximateBytes(input) } = {}) =>
      run(name, input, bytes) as ReturnType<Writer["run"]> as never,
    buffer: budget,
    async close() {
      isClosed = true;
      await Promise.all(lookups);
      for (const { running } of lanes) await running;
      await pool.end();
    },
  };
}

/** Also those that are not looked up come later, so that writes with the same ones keep their order. */
async function locksOf(name: Write["name"], input: unknown, reader: Database): Promise<readonly string[]> {
  const { locks } = writeNamed(name);
  return await (typeof locks === "function" ? locks(input, reader) : locks);
}

/** A connection that failed is closed; any other one is used again. */
async function commitOn(
  client: PoolClient,
  damage: StatementNeeds & Added,
  batch: readonly Write[],
): Promise<readonly Outcome[]> {
  try {
    const outcomes = await commitBatch(client, damage, batch);
    client.release();
    return outcomes;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Delays between attempts to connect, in milliseconds: long enough for a server that restarts. */
const CONNECT_AGAIN_MS = [50, 100, 200, 400, 800];

async function connect(pool: Pool): Promise<PoolClient> {
  for (const delay of CONNECT_AGAIN_MS) {
    try {
      return await pool.connect();
    } catch (error) {
      if (serverTrouble(error) === undefined) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
  return pool.connect();
}
