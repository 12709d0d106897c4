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

/** Counts values once they are stored. Messages that share a promise are counted together, and share the new promise. */
export function createStoredCount(
  counter: Pick<TelemetryCounter, "add">,
): (stored: Promise<void>, counts: TelemetryCounts) => Promise<void> {
  let open: { readonly stored: Promise<void>; counted: Promise<void>; kept: number; leftOut: number } | undefined;
  return (stored, counts) => {
    if (open?.stored === stored) {
      open.kept += counts.kept;
      open.leftOut += counts.leftOut;
      return open.counted;
    }
    const group = { stored, counted: stored, ...counts };
    const end = () => {
      if (open === group) open = undefined;
    };
    group.counted = stored.then(
      () => {
        end();
        counter.add(group);
      },
      (error: unknown) => {
        end();
        throw error;
      },
    );
    open = group;
    return group.counted;
  };
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
