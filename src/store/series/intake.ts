// The way in: one commit is under way at a time, and what comes meanwhile travels together with the next.
//
// Messages become bytes only when their commit starts. So a commit that fails takes back the series it would have defined,
// and the next one, which may bring points of the same series, defines them itself.
import { refuse } from "#core/app-error.ts";
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { BatchWriter, type Scalar, type SeriesDefinition } from "./batch.ts";
import type { SeriesIndex } from "./series-index.ts";

/** Beyond this many waiting bytes the devices have to wait: their messages are not acknowledged until there is room. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

interface IntakeNeeds {
  readonly index: SeriesIndex;
  /** Resolves when the batch is durable. */
  readonly commit: (batch: Uint8Array<ArrayBuffer>) => Promise<void>;
  /** Told before the waiting callers are. */
  readonly onDurable: (points: readonly TelemetryPoints[]) => void;
}

export interface Intake {
  /** Resolves when durable, and with it everything that was appended before. */
  append(messages: readonly TelemetryPoints[]): Promise<void>;
  /** Runs a task in its turn, while no commit is under way: after what came before it, before what comes after. */
  alone<Result>(task: () => Promise<Result>): Promise<Result>;
  idle(): Promise<void>;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Messages that share a commit. */
interface Batch {
  readonly points: TelemetryPoints[];
  readonly waiting: Waiting[];
  bytes: number;
}

type Task = () => Promise<void>;

export function createIntake({ index, commit, onDurable }: IntakeNeeds): Intake {
  const writer = new BatchWriter();
  /** In the order of arrival; only the last batch still grows. */
  const queue: (Batch | Task)[] = [];
  let waitingBytes = 0;
  let isBusy = false;

  async function store(batch: Batch): Promise<void> {
    const defined: SeriesDefinition[] = [];
    try {
      for (const message of batch.points) writeMessage(writer, message, { index, defined });
      const bytes = writer.take();
      if (bytes.length > 0) await commit(bytes);
      onDurable(batch.points);
      for (const { resolve } of batch.waiting) resolve();
    } catch (error) {
      for (const definition of defined) index.undefine(definition);
      for (const { reject } of batch.waiting) reject(error);
    } finally {
      waitingBytes -= batch.bytes;
    }
  }

  function pump(): void {
    if (isBusy) return;
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

  function lastBatch(): Batch {
    const last = queue.at(-1);
    if (last !== undefined && typeof last !== "function") return last;
    const batch = { points: [], waiting: [], bytes: 0 };
    queue.push(batch);
    return batch;
  }

  return {
    append(messages) {
      if (waitingBytes > MAX_WAITING_BYTES) {
        return Promise.reject(refuse("overloaded", "too much telemetry waits for the disk"));
      }
      const batch = lastBatch();
      for (const message of messages) {
        if (message.values.size === 0) continue;
        const size = sizeOf(message);
        batch.points.push(message);
        batch.bytes += size;
        waitingBytes += size;
      }
      return new Promise((resolve, reject) => {
        batch.waiting.push({ resolve, reject });
        pump();
      });
    },
    alone: (task) =>
      new Promise((resolve, reject) => {
        queue.push(() => task().then(resolve, reject));
        pump();
      }),
    async idle() {
      while (queue.length > 0 || isBusy) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function writeMessage(
  writer: BatchWriter,
  { deviceId, at, values }: TelemetryPoints,
  { index, defined }: { readonly index: SeriesIndex; readonly defined: SeriesDefinition[] },
): void {
  const numbers: number[] = [];
  let device = 0;
  for (const [attribute, value] of values) {
    const kind = kindOf(value);
    let series = index.find(deviceId, attribute, kind);
    if (series === undefined) {
      series = index.define(deviceId, attribute, kind);
      defined.push(series);
      writer.define(series);
    }
    device = series.device;
    numbers.push(series.series);
  }
  writer.message(device, at, numbers.length);
  let next = 0;
  for (const value of values.values()) writer.value(numbers[next++] ?? 0, value);
}

function kindOf(value: Scalar): ColumnKind {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "text";
}

function sizeOf({ values }: TelemetryPoints): number {
  let size = 16;
  for (const value of values.values()) size += typeof value === "string" ? 16 + value.length : 16;
  return size;
}
