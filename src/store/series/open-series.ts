// The telemetry store as the use cases see it: the writing thread, the reading threads, and the latest values in memory.
import { chmodSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { refuse } from "#core/app-error.ts";
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { instant } from "#core/time/instant.ts";
import type { Snapshot, TelemetryPoints, TelemetryStore } from "#service/ports.ts";
import { BatchWriter, type Scalar, type SeriesDefinition } from "./batch.ts";
import type { EngineSettings, HotSeries } from "./engine.ts";
import type { Latest } from "./keeper.ts";
import type { SeriesItem } from "./query.ts";
import { openReaders } from "./readers.ts";
import { SeriesIndex } from "./series-index.ts";
import { openWriterThread } from "./writer-thread.ts";

export interface SeriesSettings extends EngineSettings {
  readonly readers: number;
}

/** Beyond this many waiting bytes the devices have to wait: their messages are not acknowledged until there is room. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export async function openSeries(
  file: string,
  settings: SeriesSettings,
  onFault: (error: Error) => void,
): Promise<TelemetryStore> {
  const worker = new Worker(new URL("./writer-worker.ts", import.meta.url), { workerData: { file, settings } });
  const { thread, definitions, latest } = await openWriterThread(worker, onFault);
  chmodSync(file, 0o600);
  const readers = openReaders(file, settings.readers, onFault);
  const index = new SeriesIndex(definitions);
  const now = new Map<string, Map<string, Snapshot>>();
  for (const one of namedLatest(definitions, latest)) note(now, one.deviceId, one.attribute, one);

  const writer = new BatchWriter();
  let points: TelemetryPoints[] = [];
  let waiting: Waiting[] = [];
  let defined: SeriesDefinition[] = [];
  let isBusy = false;
  let waitingBytes = 0;

  /** One commit is under way at a time; what comes meanwhile travels together with the next. */
  async function flush(): Promise<void> {
    const batch = { bytes: writer.take(), points, waiting, defined };
    [points, waiting, defined] = [[], [], []];
    waitingBytes += batch.bytes.length;
    try {
      await thread.append(batch.bytes);
      for (const { deviceId, at, values } of batch.points) {
        for (const [attribute, value] of values) note(now, deviceId, attribute, { at, value });
      }
      for (const { resolve } of batch.waiting) resolve();
    } catch (error) {
      for (const definition of batch.defined) index.undefine(definition);
      for (const { reject } of batch.waiting) reject(error);
    } finally {
      waitingBytes -= batch.bytes.length;
    }
  }

  function pump(): void {
    if (isBusy) return;
    isBusy = true;
    setImmediate(() => {
      void flush().finally(() => {
        isBusy = false;
        if (waiting.length > 0) pump();
      });
    });
  }

  function write({ deviceId, at, values }: TelemetryPoints): void {
    const resolved: [number, Scalar][] = [];
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
      resolved.push([series.series, value]);
    }
    writer.message(device, at, resolved.length);
    for (const [series, value] of resolved) writer.value(series, value);
  }

  return {
    append(messages) {
      if (waitingBytes + writer.length > MAX_WAITING_BYTES) {
        return Promise.reject(refuse("overloaded", "too much telemetry waits for the disk"));
      }
      for (const message of messages) {
        if (message.values.size === 0) continue;
        write(message);
        points.push(message);
      }
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        pump();
      });
    },
    latest: (deviceId) => now.get(deviceId) ?? new Map(),
    async query(request) {
      const items = request.items.map((item): SeriesItem => {
        const definition = index.find(item.deviceId, item.attribute, item.kind);
        return { ...item, series: definition?.series, device: definition?.device ?? 0 };
      });
      const series = items.flatMap((item) => item.series ?? []);
      const lookAround = Math.max(0, ...items.map((item) => item.lookAroundMs ?? 0));
      const hot = (await thread.snapshot(series, request.from - lookAround, request.to)) as readonly HotSeries[];
      return readers.run({ from: request.from, to: request.to, items }, hot);
    },
    async deleteDevice(deviceId) {
      now.delete(deviceId);
      await thread.deleteDevice(deviceId);
    },
    async drop(deviceId, attributes, before) {
      const series = [...index.all()].filter(
        (one) => one.deviceId === deviceId && (attributes?.includes(one.attribute) ?? true),
      );
      return await thread.drop(
        series.map((one) => one.series),
        before,
      );
    },
    settle: (at) => thread.settle(at),
    async close() {
      while (waiting.length > 0 || isBusy) await new Promise((resolve) => setImmediate(resolve));
      await readers.close();
      await thread.close();
    },
  };
}

function kindOf(value: Scalar): ColumnKind {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "text";
}

function note(
  now: Map<string, Map<string, Snapshot>>,
  deviceId: string,
  attribute: string,
  { at, value }: Snapshot,
): void {
  let device = now.get(deviceId);
  if (device === undefined) {
    device = new Map();
    now.set(deviceId, device);
  }
  const before = device.get(attribute);
  if (before === undefined || at >= before.at) device.set(attribute, { at, value });
}

function* namedLatest(definitions: readonly SeriesDefinition[], latest: readonly Latest[]) {
  const bySeries = new Map(definitions.map((one) => [one.series, one]));
  for (const { series, at, value } of latest) {
    const definition = bySeries.get(series);
    if (definition !== undefined) {
      yield { deviceId: definition.deviceId, attribute: definition.attribute, at: instant(at), value };
    }
  }
}
