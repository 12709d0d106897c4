// A store with one writer, as the real one has: writes wait, are made durable in order, and are answered a bit later. A
// crash loses what waits and the answers under way, and nothing else.
import { refuse } from "#core/app-error.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import type { SimClock } from "./sim-clock.ts";

interface SimStoreNeeds {
  readonly clock: SimClock;
  readonly random: () => number;
  /** Where the rows are; it answers at once. */
  readonly rows: ExecutionStore;
  /** Whether the disk refuses writes now. */
  readonly isBroken: () => boolean;
}

export interface SimStore {
  /** The store as the present run of the program sees it. */
  open(): ExecutionStore;
  /** Ends the present run. */
  crash(): void;
}

export function createSimStore(needs: SimStoreNeeds): SimStore {
  const { clock, random, rows } = needs;
  let run = 0;
  let last = Promise.resolve();

  return {
    open() {
      const mine = run;
      const write = <Result>(task: () => Promise<Result>): Promise<Result> => {
        const { promise, resolve, reject } = Promise.withResolvers<Result>();
        const before = last;
        const commit = async (): Promise<void> => {
          await before;
          await delay(clock, 1 + random() * 8);
          if (mine !== run) return;
          if (needs.isBroken()) {
            reject(refuse("storage_unavailable", "the disk is broken"));
            return;
          }
          // Done here and now: what follows is only the answer.
          const done = task().then(
            (result) => () => resolve(result),
            (error: Error) => () => reject(error),
          );
          void delay(clock, random() * 4).then(async () => {
            const answer = await done;
            if (mine === run) answer();
          });
        };
        last = commit();
        return promise;
      };
      return {
        ...rows,
        insert: (input, trail) => write(() => rows.insert(input, trail)),
        markAttempted: (id) => write(() => rows.markAttempted(id)),
        unmarkAttempted: (id) => write(() => rows.unmarkAttempted(id)),
        record: (deviceId, id, arrival) => write(() => rows.record(deviceId, id, arrival)),
        recordStartAndAnswer: (deviceId, id, both) => write(() => rows.recordStartAndAnswer(deviceId, id, both)),
        expire: (id, deadline) => write(() => rows.expire(id, deadline)),
        sweep: (now) => write(() => rows.sweep(now)),
      };
    },
    crash() {
      run++;
      last = Promise.resolve();
    },
  };
}

function delay(clock: SimClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
