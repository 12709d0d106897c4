// Publishes events as they happen. Keeps the latest events, as many as fit its budget, so that a listener that was away
// for a moment misses nothing.

import type { AlertChangeKind } from "#core/alert/alert-state.ts";
import type { Execution } from "#core/command/execution.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { type ByteBudget, createByteBudget } from "#core/share/byte-budgets.ts";
import type { Instant } from "#core/time/instant.ts";
import type { DescribedAlert } from "#service/alert/describe-alert.ts";
import type { HostedStatus } from "#service/ports/device-host.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";

export type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

type Happening =
  | { readonly kind: "execution"; readonly execution: Execution }
  | { readonly kind: "connectivity"; readonly status: ConnectivityStatus; readonly at: Instant }
  | {
      readonly kind: "alert";
      readonly change: AlertChangeKind;
      readonly at: Instant;
      /** The state after the change. */
      readonly alert: DescribedAlert;
    }
  | { readonly kind: "log"; readonly entry: DeviceLogEntry }
  /** A device that runs in this process changed its state, or failed at something. */
  | { readonly kind: "runtime"; readonly status: HostedStatus; readonly at: Instant };

interface Place {
  readonly siteId: string;
  readonly deviceId: string;
}

export type PlacedEvent = Happening & Place;

export type LiveEvent = PlacedEvent & {
  /** Rises by one with each event of this run. */
  readonly sequence: number;
};

type Listener = (event: LiveEvent) => void;

export interface EventHub {
  publish(place: Place, happening: Happening): void;
  /** Returns the function that unsubscribes. A listener must not throw. */
  listen(listener: Listener): () => void;
  /** The event with this number; undefined when it does not exist yet or is no longer kept. */
  at(sequence: number): LiveEvent | undefined;
  /** Whether every event after this one is still kept. */
  remembers(sequence: number): boolean;
  readonly lastSequence: number;
}

const MAX_KEPT = 5_000;
export const EVENT_BUFFER_BYTES = 32 * 1_048_576;
/**
 * An event is kept as an object, with up to two bytes per character, and once somebody listens also as the text that is
 * sent.
 */
const COPIES = 3;
const SELF_BYTES = 256;
/** An execution without its arguments and its response's payload. */
const EXECUTION_BYTES = 768;

interface HubOptions {
  readonly maxKept?: number;
  readonly budget?: ByteBudget;
}

export function createEventHub(options: HubOptions = {}): EventHub {
  const { maxKept = MAX_KEPT, budget = createByteBudget("event_buffer", EVENT_BUFFER_BYTES) } = options;
  const listeners = new Set<Listener>();
  /** A ring: event n is at n % maxKept. */
  const ring: ({ readonly event: LiveEvent; readonly bytes: number } | undefined)[] = [];
  let last = 0;
  /** The number of the oldest event that is kept; the number of the next one when none is. */
  let first = 1;

  function forgetOldest(): void {
    budget.give(ring[first % maxKept]?.bytes ?? 0);
    ring[first % maxKept] = undefined;
    first++;
  }

  function keep(event: LiveEvent): void {
    const bytes = SELF_BYTES + COPIES * sizeOf(event);
    if (event.sequence - first >= maxKept) forgetOldest();
    while (first < event.sequence && bytes > budget.limit - budget.used()) forgetOldest();
    // An event larger than the budget is delivered, but not kept.
    if (budget.take(bytes)) ring[event.sequence % maxKept] = { event, bytes };
    else first = event.sequence + 1;
  }

  return {
    remembers: (sequence) => sequence <= last && sequence >= first - 1,
    publish({ siteId, deviceId }, happening) {
      last++;
      const event = { ...happening, sequence: last, siteId, deviceId };
      keep(event);
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    at: (sequence) => (sequence >= first && sequence <= last ? ring[sequence % maxKept]?.event : undefined),
    get lastSequence() {
      return last;
    },
  };
}

/** An execution is measured by what its caller and its device chose; the rest of it is always about as large. */
function sizeOf(event: LiveEvent): number {
  if (event.kind !== "execution") return approximateBytes(event);
  const { request, response } = event.execution;
  return EXECUTION_BYTES + approximateBytes(request.arguments) + approximateBytes(response?.payload);
}
