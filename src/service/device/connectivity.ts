// A device with a connection is ONLINE until the last one drops, however quiet it is: the carrier watches the
// connection's keep-alive. A device without one is ONLINE while messages come, and OFFLINE after a silence. UNKNOWN
// before the first sign of life. Measured on a monotonic clock.
import type { ConnectivityStatus } from "#service/event/happening.ts";
import type { ConnectionKind } from "#service/ports/device-inbox.ts";

export interface Connectivity {
  status(deviceId: string): ConnectivityStatus;
  /** Of its latest connection that its carrier watches; undefined without one, or where the carrier cannot know. */
  connection(deviceId: string): ConnectionKind | undefined;
  alive(deviceId: string): void;
  /** It has a connection that its carrier watches: silence means nothing until `gone`. */
  connected(deviceId: string, kind?: ConnectionKind): void;
  gone(deviceId: string): void;
  /** It is away, also when it was never heard from since the start. */
  absent(deviceId: string): void;
  /** Whoever watches the device cannot be asked: nobody here knows. */
  loseSight(deviceId: string): void;
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
  const connections = new Map<string, ConnectionKind | undefined>();
  /** When an online device was last heard from; offline devices have no entry. */
  const heard = new Map<string, number | undefined>();

  function turnOff(deviceId: string): void {
    heard.set(deviceId, undefined);
    onChange(deviceId, "OFFLINE");
  }

  function alive(deviceId: string): void {
    const wasOnline = heard.get(deviceId) !== undefined;
    heard.set(deviceId, elapsed());
    if (!wasOnline) onChange(deviceId, "ONLINE");
  }

  return {
    status: (deviceId) => (!heard.has(deviceId) ? "UNKNOWN" : heard.get(deviceId) === undefined ? "OFFLINE" : "ONLINE"),
    alive,
    connection: (deviceId) => connections.get(deviceId),
    connected(deviceId, kind) {
      connections.set(deviceId, kind);
      alive(deviceId);
    },
    gone(deviceId) {
      connections.delete(deviceId);
      if (heard.get(deviceId) !== undefined) turnOff(deviceId);
    },
    absent(deviceId) {
      connections.delete(deviceId);
      if (!heard.has(deviceId) || heard.get(deviceId) !== undefined) turnOff(deviceId);
    },
    loseSight(deviceId) {
      connections.delete(deviceId);
      if (heard.delete(deviceId)) onChange(deviceId, "UNKNOWN");
    },
    sweep() {
      const limit = elapsed() - silenceMs;
      for (const [deviceId, at] of heard) {
        if (at !== undefined && at <= limit && !connections.has(deviceId)) turnOff(deviceId);
      }
    },
    forget: (deviceId) => {
      connections.delete(deviceId);
      heard.delete(deviceId);
    },
  };
}
