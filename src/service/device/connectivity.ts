// ONLINE while messages come, OFFLINE after a silence or when the last connection drops, UNKNOWN before the first
// message. Measured on a monotonic clock.
import type { ConnectivityStatus } from "#service/event/event-hub.ts";

export interface Connectivity {
  status(deviceId: string): ConnectivityStatus;
  alive(deviceId: string): void;
  gone(deviceId: string): void;
  /** Sets devices that fell silent OFFLINE; to be called about once a second. */
  sweep(): void;
  forget(deviceId: string): void;
}

interface ConnectivityNeeds {
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  readonly silenceMs: number;
  readonly onChange: (deviceId: string, status: ConnectivityStatus) => void;
}

export function createConnectivity({ elapsed, silenceMs, onChange }: ConnectivityNeeds): Connectivity {
  /** When an online device was last heard from; offline devices have no entry. */
  const heard = new Map<string, number | undefined>();

  function turnOff(deviceId: string): void {
    heard.set(deviceId, undefined);
    onChange(deviceId, "OFFLINE");
  }

  return {
    status: (deviceId) => (!heard.has(deviceId) ? "UNKNOWN" : heard.get(deviceId) === undefined ? "OFFLINE" : "ONLINE"),
    alive(deviceId) {
      const wasOnline = heard.get(deviceId) !== undefined;
      heard.set(deviceId, elapsed());
      if (!wasOnline) onChange(deviceId, "ONLINE");
    },
    gone(deviceId) {
      if (heard.get(deviceId) !== undefined) turnOff(deviceId);
    },
    sweep() {
      const limit = elapsed() - silenceMs;
      for (const [deviceId, at] of heard) if (at !== undefined && at <= limit) turnOff(deviceId);
    },
    forget: (deviceId) => {
      heard.delete(deviceId);
    },
  };
}
