// The real stores over a disk with one writer: writes wait, are committed together, and are answered a bit later. A crash
// loses what waits and the answers under way, and nothing else. Nothing reads while a commit is under way, because a
// commit is one step of simulated time.
import { AppError } from "#core/app-error.ts";
import type { Execution } from "#core/command/execution.ts";
import { executionEvent } from "#core/event/event.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { Lists } from "#store/records/lists.ts";
import { createSubjectStores } from "#store/records/subject-stores.ts";
import type { WriteInput, Writer } from "#store/records/writer.ts";
import type { Writes } from "#store/records/writes.ts";
import { commitBatch, type WriteAnswer } from "#store/sqlite/commit-batch.ts";
import { createLists } from "#store/sqlite/lists.ts";
import { createRecordReader } from "#store/sqlite/record-reader.ts";
import { createRecordWriter, type RecordWriter } from "#store/sqlite/record-writer.ts";
import type { SimClock } from "../sim-clock.ts";
import type { MemoryDatabase } from "./memory-database.ts";

/** One run of a program, from its start to its crash. */
export interface Run {
  isOver: boolean;
}

export interface SimDisk {
  readonly database: MemoryDatabase;
  /** Numbers changes. One writer, or the database of several nodes, goes on counting until it is started again. */
  writer: RecordWriter;
  /** Called with the events of each commit, by whoever shares the disk. */
  readonly watchers: Set<(event: StoredEvent) => void>;
  /** How many commits there were. While it stays the same, so does what is stored. */
  commits: number;
  /** Called with each execution that is stored. */
  onExecution: (id: string) => void;
}

interface Waiting {
  readonly name: keyof Writes;
  readonly input: unknown;
  readonly changed: ((result: never) => Execution | undefined) | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

export function createSimDisk(database: MemoryDatabase): SimDisk {
  return {
    database,
    writer: createRecordWriter(database.asConnection),
    watchers: new Set(),
    commits: 0,
    onExecution: () => {},
  };
}

/** As the run sees them. */
export function openSimRecords(
  { clock, random, disk }: { readonly clock: SimClock; readonly random: () => number; readonly disk: SimDisk },
  run: Run,
): SubjectStores {
  const { database } = disk;
  let waiting: Waiting[] = [];

  async function commit(): Promise<void> {
    const batch = waiting;
    waiting = [];
    if (run.isOver) return;
    const requests = batch.map(({ name, input }, id) => ({ id, name, input }));
    const answers = await commitBatch(database.asConnection, requests, disk.writer);
    if (database.inTransaction) throw new Error("a commit left its transaction open");
    disk.commits++;
    for (const answer of answers) {
      const { name, input } = batch[answer.id] ?? {};
      if ("result" in answer && name === "insertExecution") {
        disk.onExecution((input as WriteInput<"insertExecution">).input.execution.id);
      }
    }
    const events = answers.flatMap((answer) => eventsOf(answer, batch[answer.id]?.changed));
    for (const watch of disk.watchers) for (const event of events) watch(event);
    clock.after(random() * 4, () => {
      if (!run.isOver) for (const answer of answers) settle(answer, batch[answer.id]);
    });
  }

  const writer: Writer = {
    run<Name extends keyof Writes>(name: Name, input: WriteInput<Name>, hints = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      if (waiting.length === 0) clock.after(1 + random() * 6, () => void commit());
      waiting.push({ name, input, changed: (hints as Pick<Waiting, "changed">).changed, resolve, reject });
      return promise;
    },
    buffer: { name: "records_writes", limit: 0, used: () => 0 },
    close: async () => {},
  };
  const reader = createRecordReader(database.asConnection);
  const watch = (listener: (event: StoredEvent) => void) => {
    const hear = (event: StoredEvent) => clock.after(random() * 5, () => run.isOver || listener(event));
    disk.watchers.add(hear);
    return () => disk.watchers.delete(hear);
  };
  const lists: Lists = createLists(reader, { run: refusePool } as never);
  return createSubjectStores({ reader, lists, watch, used: () => 0, limit: Number.MAX_SAFE_INTEGER }, writer);
}

function refusePool(): never {
  throw new Error("a simulated list is never long");
}

function settle(answer: WriteAnswer, waiting: Waiting | undefined): void {
  if ("refusals" in answer) waiting?.reject(new AppError(answer.refusals));
  else if ("fault" in answer) waiting?.reject(new Error(`a write failed: ${answer.fault}`));
  else waiting?.resolve(answer.result as never);
}

function eventsOf(answer: WriteAnswer, changed: Waiting["changed"]): readonly StoredEvent[] {
  if (!("result" in answer)) return [];
  return (answer.events ?? []).flatMap((added) => {
    if (typeof added !== "number") return [added];
    const execution = changed?.(answer.result as never);
    return execution === undefined ? [] : [{ ...executionEvent(execution), position: added }];
  });
}
