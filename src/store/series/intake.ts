// The way in: one commit runs at a time, and everything that arrives meanwhile goes into the next.
//
// A message becomes bytes at once, so that nothing else of it waits for the disk. Thousands of waiting messages would
// otherwise live long enough to cost the garbage collector more than all the rest.
// A batch contains the definitions of all its series that are not known to be stored, so it depends on no earlier
// batch.
// A commit wakes two threads and flushes the disk. So it begins some milliseconds after the last one began, and takes all
// messages of that time. With 300 devices that send a value a second, this saves half of the processor time of the gateway.
// A device that sends again right after it was acknowledged does not wait.

import { refuse } from "#core/app-error.ts";
import { itemAt } from "#core/item-at.ts";
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Snapshot, TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { BatchWriter, type Scalar, type SeriesDefinition } from "./batch.ts";
import type { SeriesIndex } from "./series-index.ts";

/** Beyond this many waiting bytes the devices have to wait: their messages are not acknowledged until there is room. */
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** From the begin of a commit to the begin of the next, unless somebody waits for it. */
export const GATHER_MS = 20;
/** A batch of this size does not wait for more. */
const ENOUGH_BYTES = 64 * 1024;

export interface IntakeNeeds {
  readonly index: SeriesIndex;
  /** Resolves when the batch is durable. */
  readonly commit: (batch: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Called with the newest value of each series in the batch, before the waiting callers are answered. */
  readonly onDurable: (latest: ReadonlyMap<SeriesDefinition, Snapshot>) => void;
}

export interface Intake {
  /** Resolves when this and everything appended before it is durable. Messages that share a commit share the promise. */
  append(messages: readonly TelemetryPoints[]): Promise<void>;
  /** Runs a task in its turn, while no commit is running: after everything earlier, before everything later. */
  alone<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Bytes that wait or are on their way to the disk. */
  readonly waitingBytes: number;
  /** Resolves when everything that came before is stored or refused. */
  idle(): Promise<void>;
}

/** Messages that share a commit. */
interface Batch {
  readonly definitions: Set<SeriesDefinition>;
  readonly latest: Map<SeriesDefinition, { at: Instant; value: Scalar }>;
  readonly stored: PromiseWithResolvers<void>;
  readonly devices: Set<string>;
  /** Whether somebody needs it stored before they go on. */
  isUrgent: boolean;
  /** Undefined while the batch still grows. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
}

type Task = () => Promise<void>;

export function createIntake({ index, commit, onDurable }: IntakeNeeds): Intake {
  /** Belongs to the batch that still grows, which is the last in the queue. */
  const writer = new BatchWriter();
  /** In the order of arrival. */
  const queue: (Batch | Task)[] = [];
  /** Counts batches that no longer grow. */
  let closedBytes = 0;
  let isBusy = false;
  /** While this runs, a batch that is not urgent waits for more messages. */
  let gathering: NodeJS.Timeout | undefined;
  /** Of the last commit. */
  let lastDevices: ReadonlySet<string> = new Set();
  const waitingBytes = () => closedBytes + writer.length;

  async function store(batch: Batch): Promise<void> {
    const bytes = close(batch);
    // The buffer is transferred with the commit.
    const size = bytes.length;
    try {
      if (size > 0) {
        lastDevices = batch.devices;
        gathering ??= setTimeout(endGathering, GATHER_MS);
        await commit(bytes);
      }
      index.noteStored(batch.definitions);
      onDurable(batch.latest);
      batch.stored.resolve();
    } catch (error) {
      batch.stored.reject(error);
    } finally {
      closedBytes -= size;
    }
  }

  function close(batch: Batch): Uint8Array<ArrayBuffer> {
    if (batch.bytes === undefined) {
      batch.bytes = writer.take();
      closedBytes += batch.bytes.length;
    }
    return batch.bytes;
  }

  function endGathering(): void {
    gathering = undefined;
    if (queue.length > 0) pump();
  }

  /** What waits behind a batch waits for it, too. */
  function isWaitingForMore(): boolean {
    const [first] = queue;
    if (gathering === undefined || queue.length > 1 || typeof first !== "object") return false;
    return !first.isUrgent && writer.length < ENOUGH_BYTES;
  }

  function pump(): void {
    if (isBusy || isWaitingForMore()) return;
    isBusy = true;
    setImmediate(() => {
      const next = queue.shift();
      const work = next === undefined ? Promise.resolve() : typeof next === "function" ? next() : store(next);
      void work.finally(() => {
        isBusy = false;
        if (queue.length > 0) pump();
      });
    });
  }

  function openBatch(): Batch {
    const last = queue.at(-1);
    if (last !== undefined && typeof last !== "function") return last;
    const batch: Batch = {
      definitions: new Set(),
      latest: new Map(),
      stored: Promise.withResolvers(),
      devices: new Set(),
      isUrgent: false,
      bytes: undefined,
    };
    // A message that could not be written does not wait for it.
    batch.stored.promise.catch(() => {});
    queue.push(batch);
    return batch;
  }

  function closeLast(): void {
    const last = queue.at(-1);
    if (last !== undefined && typeof last !== "function") close(last);
  }

  function write(batch: Batch, message: TelemetryPoints): void {
    const begin = writer.length;
    try {
      const series = writeValues(batch, message);
      for (const one of series) if (!index.isStored(one)) batch.definitions.add(one);
      noteLatest(batch.latest, series, message);
    } catch (error) {
      // Half a message would corrupt the whole batch.
      writer.rewind(begin);
      throw error;
    }
  }

  /** Returns the series of the values, in their order. */
  function writeValues({ definitions }: Batch, { deviceId, at, values }: TelemetryPoints): readonly SeriesDefinition[] {
    const all: SeriesDefinition[] = [];
    for (const [attribute, value] of values) {
      const kind = kindOf(value);
      const series = index.find(deviceId, attribute, kind) ?? index.define(deviceId, attribute, kind);
      all.push(series);
      if (!index.isStored(series) && !definitions.has(series)) writer.define(series);
    }
    writer.message(itemAt(all, 0).device, at, all.length);
    let next = 0;
    for (const value of values.values()) writer.value(all[next++]?.series ?? 0, value);
    return all;
  }

  function alone<Result>(task: () => Promise<Result>): Promise<Result> {
    closeLast();
    return new Promise((resolve, reject) => {
      queue.push(() => task().then(resolve, reject));
      pump();
    });
  }

  return {
    append(messages) {
      if (waitingBytes() > MAX_WAITING_BYTES) {
        return Promise.reject(refuse("overloaded", "too much telemetry waits for the disk"));
      }
      const batch = openBatch();
      if (messages.length === 0) batch.isUrgent = true;
      for (const message of messages) {
        if (message.values.size > 0) write(batch, message);
        batch.devices.add(message.deviceId);
        batch.isUrgent ||= lastDevices.has(message.deviceId);
      }
      pump();
      return batch.stored.promise;
    },
    get waitingBytes() {
      return waitingBytes();
    },
    alone,
    idle: () => alone(async () => {}),
  };
}

function noteLatest(
  latest: Batch["latest"],
  series: readonly SeriesDefinition[],
  { at, values }: TelemetryPoints,
): void {
  let next = 0;
  for (const value of values.values()) {
    const one = series[next++];
    const newest = one && latest.get(one);
    if (one === undefined) continue;
    if (newest === undefined) latest.set(one, { at, value });
    else if (at >= newest.at) {
      newest.at = at;
      newest.value = value;
    }
  }
}

export function kindOf(value: Scalar): ColumnKind {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "text";
}
