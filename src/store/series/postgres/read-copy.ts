// Chunks read from a server that follows the primary. A query has taken the unsealed points from the primary before, and
// knows how far each partition had come by then. The copy answers when it has come at least as far, so its answers are
// those of the primary. When it is behind, away or slow, the primary is asked.
import type { Client } from "pg";
import { createConnection } from "#store/postgres/connect.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { StoreState } from "#store/series/chunk-reader.ts";

/** The copy gets so long for an answer. Then its connection is given up. */
const PATIENCE_MS = 3_000;
/** So long nobody tries after a failure. */
const AGAIN_MS = 1_000;

export interface ReadCopy {
  /** Undefined when the primary has to be asked. */
  read<Result>(
    since: StoreState,
    work: (client: Client) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined>;
  close(): Promise<void>;
}

export function createReadCopy(url: string, patienceMs = PATIENCE_MS): ReadCopy {
  const connection = createConnection(url, { pipeline: false });
  /** How far the copy had come when somebody last looked. It never goes back. */
  const epochs = new Map<number, number>();
  let client: Client | undefined;
  let isConnecting = false;
  let tryAgainAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  /** One after the other: statements of two transactions must not mix. */
  let last: Promise<unknown> = Promise.resolve();

  /** No query waits for a connection. */
  function connect(): void {
    if (isConnecting || isClosed || performance.now() < tryAgainAt) return;
    isConnecting = true;
    connection
      .get()
      .then(
        (opened) => {
          // It may be another server than before.
          epochs.clear();
          client = opened;
          opened.once("end", () => giveUp(opened));
        },
        () => {
          tryAgainAt = performance.now() + AGAIN_MS;
        },
      )
      .finally(() => {
        isConnecting = false;
      });
  }

  function giveUp(failed: Client): void {
    if (client === failed) client = undefined;
    tryAgainAt = performance.now() + AGAIN_MS;
    failed.connection.stream.destroy();
  }

  async function hasReached(since: StoreState, on: Client): Promise<boolean> {
    const isBehind = ([partition, epoch]: StoreState[number]) => (epochs.get(partition) ?? -1) < epoch;
    if (!since.some(isBehind)) return true;
    const { rows } = await on.query<{ partition: number; epoch: number }>({
      name: "epochs",
      text: "SELECT partition, epoch FROM telemetry_partition",
    });
    for (const { partition, epoch } of rows) epochs.set(partition, epoch);
    return !since.some(isBehind);
  }

  async function readNow<Result>(
    since: StoreState,
    work: (client: Client) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> {
    const on = client;
    if (on === undefined) return undefined;
    const timer = setTimeout(() => giveUp(on), patienceMs);
    try {
      return (await hasReached(since, on)) ? { result: await work(on) } : undefined;
    } catch (error) {
      // What is damaged in the copy may be well in the primary.
      if (!(error instanceof DamagedPiece)) giveUp(on);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async read(since, work) {
      if (client === undefined) {
        connect();
        return undefined;
      }
      const start = () => readNow(since, work);
      const next = last.then(start, start);
      last = next.catch(() => {});
      return await next;
    },
    async close() {
      isClosed = true;
      await last;
      await connection.close().catch(() => {});
    },
  };
}
