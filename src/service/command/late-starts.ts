// Delays the record that a command was handed over (STARTED) for a moment. If the device answers within that time, both
// are stored in one commit; otherwise the answer would have to wait for the flush of a record that is already outdated.
// The delay is safe, because the attempted mark, and not this record, keeps a command from being sent twice.
import type { Arrival, Execution } from "#core/command/execution.ts";
import type { After } from "#service/deadlines.ts";

export type CarriedArrival = Arrival & { readonly repeated: boolean };

export interface LateStarts {
  note(execution: Pick<Execution, "id" | "deviceId">, start: CarriedArrival): void;
  /**
   * What the answer to this execution has to know of its start. One that still waits is taken out: whoever answers records
   * both, and calls `recorded` then. Of one that is being recorded it is the promise; undefined when there is none.
   */
  take(deviceId: string, id: string): WaitingStart | Promise<void> | undefined;
  /** Records all waiting starts; later ones are recorded at once. */
  stop(): void;
}

interface WaitingStart {
  readonly start: CarriedArrival;
  readonly recorded: () => void;
}

/** How long a start waits for the device's answer. */
const WAIT_MS = 25;

interface Start {
  readonly deviceId: string;
  /** While it is being recorded. */
  recording: Promise<void> | undefined;
  /** Records it alone. */
  readonly record: () => void;
  readonly take: () => WaitingStart;
}

/** `record` must not reject. */
export function createLateStarts(
  after: After,
  record: (deviceId: string, id: string, start: CarriedArrival) => Promise<void>,
): LateStarts {
  /** Starts that wait or are being stored. */
  const starts = new Map<string, Start>();
  let stopped = false;
  return {
    note({ id, deviceId }, start) {
      const entry: Start = {
        deviceId,
        recording: undefined,
        record() {
          callOff();
          entry.recording ??= record(deviceId, id, start).then(() => void starts.delete(id));
        },
        take() {
          callOff();
          const { promise, resolve } = Promise.withResolvers<void>();
          entry.recording = promise;
          const recorded = () => {
            starts.delete(id);
            resolve();
          };
          return { start, recorded };
        },
      };
      const callOff = after(WAIT_MS, entry.record);
      starts.set(id, entry);
      if (stopped) entry.record();
    },
    take(deviceId, id) {
      const start = starts.get(id);
      return start?.deviceId === deviceId ? (start.recording ?? start.take()) : undefined;
    },
    stop() {
      stopped = true;
      for (const start of starts.values()) start.record();
    },
  };
}
