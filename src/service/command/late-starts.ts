// That a command was handed over (STARTED) is recorded a moment later, together with the device's answer where that comes
// first: else the answer would wait for the flush of a record that it makes old. Nothing depends on that record, because
// what keeps a command from being sent twice is the mark.
import type { Arrival, Execution } from "#core/command/execution.ts";
import type { After } from "#service/deadlines.ts";

export type CarriedArrival = Arrival & { readonly repeated: boolean };

export interface LateStarts {
  note(execution: Pick<Execution, "id" | "deviceId">, start: CarriedArrival): void;
  /** Records the start of this execution of the device now, if it still waits. Resolves when none is under way. */
  hurry(deviceId: string, id: string): Promise<void> | undefined;
  /** Records all that wait; what is noted later is recorded at once. */
  stop(): void;
}

/** How long a start waits for the device's answer. */
const WAIT_MS = 25;

interface Start {
  readonly deviceId: string;
  /** The same promise each time. */
  readonly record: () => Promise<void>;
}

/** `record` must not reject. */
export function createLateStarts(
  after: After,
  record: (deviceId: string, id: string, start: CarriedArrival) => Promise<void>,
): LateStarts {
  /** Those that wait and those under way. */
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
    hurry(deviceId, id) {
      const start = starts.get(id);
      return start?.deviceId === deviceId ? start.record() : undefined;
    },
    stop() {
      stopped = true;
      for (const start of starts.values()) void start.record();
    },
  };
}
