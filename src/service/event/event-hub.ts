// What happens, as it happens. Keeps the latest events so that a listener that was away for a moment misses nothing.
import type { Execution } from "#core/command/execution.ts";
import type { AlertChangeKind } from "#core/telemetry/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { HostedStatus } from "#service/ports/device-host.ts";
import type { DeviceLogEntry } from "#service/ports/device-log-store.ts";
import type { DescribedAlert } from "#service/telemetry/describe-alert.ts";

export type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

type Happening =
  | { readonly kind: "execution"; readonly execution: Execution }
  | { readonly kind: "connectivity"; readonly status: ConnectivityStatus; readonly at: Instant }
  | {
      readonly kind: "alert";
      readonly change: AlertChangeKind;
      readonly at: Instant;
      /** As it is after the change. */
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
  /** Gives the function that ends it. A listener must not throw. */
  listen(listener: Listener): () => void;
  /** The events after this one, or undefined when some of them are forgotten. */
  after(sequence: number): readonly LiveEvent[] | undefined;
  /** Whether every event after this one is still kept. */
  remembers(sequence: number): boolean;
  readonly lastSequence: number;
}

export function createEventHub(kept = 5_000): EventHub {
  const listeners = new Set<Listener>();
  /** A ring: event n stands at n % kept. */
  const ring: LiveEvent[] = [];
  let last = 0;
  const remembers = (sequence: number) => sequence <= last && sequence >= last - kept;
  return {
    remembers,
    publish({ siteId, deviceId }, happening) {
      last++;
      const event = { ...happening, sequence: last, siteId, deviceId };
      ring[last % kept] = event;
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    after(sequence) {
      if (!remembers(sequence)) return undefined;
      const events: LiveEvent[] = [];
      for (let n = sequence + 1; n <= last; n++) {
        const event = ring[n % kept];
        if (event !== undefined) events.push(event);
      }
      return events;
    },
    get lastSequence() {
      return last;
    },
  };
}
