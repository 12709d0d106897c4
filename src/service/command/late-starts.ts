// Delays the record that a command was handed over (STARTED) for a moment. If the device answers within that time, both
// are stored in one commit; otherwise the answer would have to wait for the flush of a record that is already outdated.
// The delay is safe, because the attempted mark, and not this record, keeps a command from being sent twice.
import type { Arrival, Execution } from "#core/command/execution.ts";
import type { After } from "#service/deadlines.ts";

export type CarriedArrival = Arrival & { readonly repeated: boolean };

export interface LateStarts {
  note(execution: Pick<Execution, "id" | "deviceId">, start: CarriedArrival): void;
  /** Records the start of this execution now if it still waits. Resolves when no record of it is being stored. */
  recordNow(deviceId: string, id: string): Promise<void> | undefined;
  /** Records all waiting starts; later ones are recorded at once. */
  stop(): void;
}

/** How long a start waits for the device's answer. */
const WAIT_MS = 25;

interface Start {
  readonly deviceId: string;
  /** Returns the same promise each time. */
  readonly record: () => Promise<void>;
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
      let done: Promise<void> | undefined;
      const recordOnce = (): Promise<void> => {
        callOff();
        done ??= record(deviceId, id, start).then(() => void starts.delete(id));
        return done;
      };
      const callOff = after(WAIT_MS, () => void recordOnce());
      starts.set(id, { deviceId, record: recordOnce });
      if (stopped) void recordOnce();
    },
    recordNow(deviceId, id) {
      const start = starts.get(id);
      return start?.deviceId === deviceId ? start.record() : undefined;
    },
    stop() {
      stopped = true;
      for (const start of starts.values()) void start.record();
    },
  };
}
