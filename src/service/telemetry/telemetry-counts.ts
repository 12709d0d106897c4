/** How many values devices have sent since the start. */
interface TelemetryCounts {
  readonly kept: number;
  /** Undeclared, or not of their declared type. */
  readonly leftOut: number;
}

export interface TelemetryCounter {
  add(more: TelemetryCounts): void;
  read(): TelemetryCounts;
}

export function createTelemetryCounter(): TelemetryCounter {
  let [kept, leftOut] = [0, 0];
  return {
    add(more) {
      kept += more.kept;
      leftOut += more.leftOut;
    },
    read: () => ({ kept, leftOut }),
  };
}
