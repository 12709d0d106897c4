// On a shared store the database numbers series. So messages with a series that this node does not know yet wait until
// it has a number, and later messages wait behind them: of two writes of the same time the later one counts.
import { refuse } from "#core/app-error.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import type { SeriesDefinition } from "./batch.ts";
import { kindOf } from "./intake.ts";
import type { SeriesIndex } from "./series-index.ts";
import type { SeriesName } from "./shared-store.ts";

const MAX_WAITING = 100_000;

type Append = (messages: readonly TelemetryPoints[]) => Promise<void>;

interface DefineNeeds {
  readonly index: SeriesIndex;
  readonly define: (wanted: readonly SeriesName[]) => Promise<readonly SeriesDefinition[]>;
  readonly append: Append;
}

interface Waiting {
  readonly messages: readonly TelemetryPoints[];
  readonly done: PromiseWithResolvers<void>;
}

export function createDefineFirst({ index, define, append }: DefineNeeds): Append {
  let waiting: Waiting[] = [];
  let isDefining = false;

  async function defineWaiting(): Promise<void> {
    isDefining = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const unknown = group.flatMap(({ messages }) => unknownSeries(index, messages));
        if (unknown.length > 0) index.learn(await define(unknown));
        for (const { messages, done } of group) append(messages).then(done.resolve, done.reject);
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
    }
    isDefining = false;
  }

  return (messages) => {
    if (!isDefining && unknownSeries(index, messages).length === 0) return append(messages);
    if (waiting.length >= MAX_WAITING) return Promise.reject(refuse("overloaded", "too much telemetry waits"));
    const done = Promise.withResolvers<void>();
    waiting.push({ messages, done });
    if (!isDefining) void defineWaiting();
    return done.promise;
  };
}

function unknownSeries(index: SeriesIndex, messages: readonly TelemetryPoints[]): readonly SeriesName[] {
  const unknown: SeriesName[] = [];
  for (const { deviceId, values } of messages) {
    for (const [attribute, value] of values) {
      const kind = kindOf(value);
      if (index.find(deviceId, attribute, kind) === undefined) unknown.push({ deviceId, attribute, kind });
    }
  }
  return unknown;
}
