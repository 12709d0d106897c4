import type { PreparedEvent } from "#core/event/event.ts";

/** Configurations that this node has written and sends to their devices itself. */
export interface OwnConfigurations {
  add(events: readonly PreparedEvent[]): void;
  /** Their write or their sending failed: whoever hears of them sends them. */
  forget(events: readonly PreparedEvent[]): void;
  /** Whether this node wrote what the event tells. An event comes once. */
  take(event: PreparedEvent): boolean;
}

/** An event comes soon after its write. Those of a process alone are never taken, so older ones go. */
const MAX_KEPT = 1_000;

export function createOwnConfigurations(): OwnConfigurations {
  const kept = new Set<string>();
  return {
    add(events) {
      for (const event of events) kept.add(nameOf(event));
      for (const oldest of kept) {
        if (kept.size <= MAX_KEPT) return;
        kept.delete(oldest);
      }
    },
    forget(events) {
      for (const event of events) kept.delete(nameOf(event));
    },
    take: (event) => kept.delete(nameOf(event)),
  };
}

function nameOf({ deviceId, at, data }: PreparedEvent): string {
  return `${deviceId} ${at} ${data}`;
}
