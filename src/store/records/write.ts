// How a write declares itself: what runs, and everything that has to be known of it elsewhere. Each fact is asked for, unless
// leaving it out can only cost time.
import type { LinkedKey } from "#core/link/linked-key.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import type { Awaitable } from "#store/awaitable.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { note } from "./link-marks.ts";

type Locks = readonly string[];

export interface Write<Input, Result> {
  /**
   * The locks that it takes before it reads anything, where others write to the database, too. Two writes that share one
   * never run at the same time, on any node: what a write has read still holds when it is stored. `reader` answers a write
   * whose input does not say it.
   */
  readonly locks: Locks | ((input: Input, reader: Database) => Awaitable<Locks>);
  /**
   * What it really changes, where that is less than what its locks protect. Within one transaction, writes that change
   * different things do not wait for each other: the open executions of a device are counted by all of them together.
   * Without it the write changes whatever its locks protect.
   */
  readonly parts?: (input: Input) => Locks;
  readonly informs: Informs<Input, Result>;
  /**
   * Whether it goes on while the disk is full, from the reserve: commands until they end, what deletes, revokes, withdraws
   * or makes room, and the few bytes without which nobody could sign in or a link would end. docs/limits.md says the same.
   */
  readonly fromReserve: boolean;
  /** It changes nothing that `WriteMemory` remembers, or informs it. Otherwise the memory is emptied before the write. */
  readonly keepsMemory?: true;
  /** Runs inside a transaction, on the writing thread where there is one. */
  run(database: WriteDatabase, input: Input): Promise<Result>;
}

/** Who has to hear of the write, besides those whom its events reach. What they are sent is stored in its transaction. */
interface Informs<Input, Result> {
  /**
   * The records that a cloud has a copy of and that have changed. Executions have change numbers of their own, and audit
   * entries note themselves.
   */
  readonly cloud: ((input: Input, result: Result) => readonly LinkedKey[]) | undefined;
  /** For nodes that keep in memory what has changed. */
  readonly nodes: ((input: Input, result: Result) => NodeMessage) | undefined;
}

export const NOBODY = { cloud: undefined, nodes: undefined };

/** Its `run` also notes for the cloud what it has changed. */
export function write<Input, Result>(declared: Write<Input, Result>): Write<Input, Result> {
  const { cloud } = declared.informs;
  if (cloud === undefined) return declared;
  return {
    ...declared,
    async run(database, input) {
      const result = await declared.run(database, input);
      await note(database, cloud(input, result));
      return result;
    },
  };
}

/** Few enough rows that pruning never holds up other writes. */
export const PRUNE_AT_ONCE = 1_000;

/** A write that deletes what is old, and says how much that was. One node at a time does it. */
export function prune<Input>(what: string, run: Write<Input, number>["run"]): Write<Input, number> {
  return write({ locks: [`chore ${what}`], informs: NOBODY, fromReserve: true, run });
}

export const deviceLock = (id: string): Locks => [`device ${id}`];

/** The tree of devices and their slugs are checked over a whole site. */
export const treeLocks = (id: string): Locks => ["device tree", `device ${id}`];
