// A device with a connection is ONLINE until the last one drops, however quiet it is: the carrier watches the
// connection's keep-alive. A device without one is ONLINE while messages come, and OFFLINE after a silence. UNKNOWN
// before the first sign of life. Measured on a monotonic clock.
//
// Where several nodes share the records, each knows which devices the others hear (presence.ts), and all of them know the same. A
// change is reported by the node that notices it; the others take it over. If that node dies, another one reports it later.
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
  /** Whoever watches the device cannot be asked: nobody here knows. `isKnownElsewhere`: other nodes may have heard of it. */
  loseSight(deviceId: string, isKnownElsewhere?: boolean): void;
  /** Another node may watch the device by now, and reports what becomes of it. */
  letGo(deviceId: string): void;
  /** Sets devices that fell silent OFFLINE; to be called about once a second. */
  sweep(): void;
  forget(deviceId: string): void;
  /** Another node hears the device. */
  aliveElsewhere(deviceId: string): void;
  /** The event of a change, of this node or another one. */
  heardOf(deviceId: string, status: ConnectivityStatus): void;
  /** How many devices are known to be there, and to be away. */
  counts(): { readonly online: number; readonly offline: number };
  /** The devices that have a connection here, or were heard here since the last call. */
  heardHere(): readonly string[];
}

interface ConnectivityNeeds {
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  readonly silenceMs: number;
  readonly onChange: (deviceId: string, status: ConnectivityStatus) => void;
  /** Whether another node hears the device now. It is asked when this one has not heard it for long. */
  readonly isHeardElsewhere?: (deviceId: string) => boolean;
}

interface Sign {
  readonly at: number;
  readonly isHere: boolean;
}

/**
 * So much longer a node waits for a device that another one has heard last: that node reports its silence. While another
 * one hears it, it is asked again after as much time.
 */
const PATIENCE_MS = 5_000;

export function createConnectivity(needs: ConnectivityNeeds): Connectivity {
  const { elapsed, silenceMs, onChange, isHeardElsewhere = () => false } = needs;
  const connections = new Map<string, ConnectionKind | undefined>();
  /** The last sign of life of an online device; undefined for an offline one. */
  const heard = new Map<string, Sign | undefined>();
  const here = new Set<string>();
  /** Changes that this node has reported and not read back yet. */
  const unread = new Map<string, number>();

  function report(deviceId: string, status: ConnectivityStatus): void {
    const key = `${deviceId} ${status}`;
    unread.set(key, (unread.get(key) ?? 0) + 1);
    onChange(deviceId, status);
  }

  function turnOff(deviceId: string): void {
    heard.set(deviceId, undefined);
    report(deviceId, "OFFLINE");
  }

  function alive(deviceId: string): void {
    const wasOnline = heard.get(deviceId) !== undefined;
    heard.set(deviceId, { at: elapsed(), isHere: true });
    here.add(deviceId);
    if (!wasOnline) report(deviceId, "ONLINE");
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
      if (heard.get(deviceId)?.isHere === true) turnOff(deviceId);
    },
    absent(deviceId) {
      connections.delete(deviceId);
      if (!heard.has(deviceId) || heard.get(deviceId) !== undefined) turnOff(deviceId);
    },
    loseSight(deviceId, isKnownElsewhere = false) {
      connections.delete(deviceId);
      here.delete(deviceId);
      if (heard.delete(deviceId) || isKnownElsewhere) report(deviceId, "UNKNOWN");
    },
    letGo(deviceId) {
      connections.delete(deviceId);
      here.delete(deviceId);
      if (heard.get(deviceId) !== undefined) heard.set(deviceId, { at: elapsed(), isHere: false });
    },
    sweep() {
      const limit = elapsed() - silenceMs;
      for (const [deviceId, sign] of heard) {
        if (sign === undefined || connections.has(deviceId)) continue;
        if (sign.at > (sign.isHere ? limit : limit - PATIENCE_MS)) continue;
        if (isHeardElsewhere(deviceId)) heard.set(deviceId, { at: limit, isHere: false });
        else turnOff(deviceId);
      }
    },
    forget: (deviceId) => {
      connections.delete(deviceId);
      heard.delete(deviceId);
      here.delete(deviceId);
    },
    aliveElsewhere(deviceId) {
      if (!connections.has(deviceId)) heard.set(deviceId, { at: elapsed(), isHere: false });
    },
    heardOf(deviceId, status) {
      const key = `${deviceId} ${status}`;
      const own = unread.get(key) ?? 0;
      if (own > 1) unread.set(key, own - 1);
      else unread.delete(key);
      if (own > 0) return;
      const sign = heard.get(deviceId);
      if (status === "ONLINE") {
        if (sign === undefined) heard.set(deviceId, { at: elapsed(), isHere: false });
        return;
      }
      // It has moved here before the other node noticed that it had left.
      if (sign?.isHere === true) report(deviceId, "ONLINE");
      else if (status === "UNKNOWN") heard.delete(deviceId);
      else if (sign !== undefined) heard.set(deviceId, undefined);
    },
    counts() {
      let online = 0;
      for (const sign of heard.values()) if (sign !== undefined) online++;
      return { online, offline: heard.size - online };
    },
    heardHere() {
      const devices = new Set([...here, ...connections.keys()]);
      here.clear();
      return [...devices];
    },
  };
}
