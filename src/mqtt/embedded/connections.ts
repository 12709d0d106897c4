// The connections of signed-in devices: what each of them listens to, and when a device comes and goes.
import type { Client } from "aedes";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";
import type { Filters } from "./filters.ts";
import type { FrameGuard } from "./frame-guard.ts";

export interface Connection {
  readonly device: SignedIn;
  readonly client: Client;
  readonly guard: FrameGuard;
  readonly filters: Filters;
  /** The topic of the device's own commands. */
  readonly commands: string;
  /** Settles when everything that has arrived so far is durable. Rejects once something could not be stored. */
  tail: Promise<void>;
}

export interface Listener {
  readonly connection: Connection;
  readonly qos: 0 | 1;
}

export interface Connections {
  add(connection: Connection): void;
  remove(connection: Connection): void;
  of(deviceId: string): readonly Connection[];
  /** The connections of the device that listen to one of its topics, newest first. */
  listening(deviceId: string, topicOf: (connection: Connection) => string): readonly Listener[];
  all(): readonly Connection[];
}

export function createConnections(inbox: DeviceInbox, maxPerDevice: number): Connections {
  const devices = new Map<string, readonly Connection[]>();
  return {
    add(connection) {
      const { deviceId } = connection.device;
      const open = [connection, ...(devices.get(deviceId) ?? [])];
      devices.set(deviceId, open);
      // A device that lost its network leaves dead connections that nobody has noticed yet. The newest is the live one.
      for (const old of open.slice(maxPerDevice)) old.client.close();
    },
    remove(connection) {
      const { deviceId } = connection.device;
      const left = (devices.get(deviceId) ?? []).filter((one) => one !== connection);
      if (left.length > 0) devices.set(deviceId, left);
      else if (devices.delete(deviceId)) inbox.unreachable(deviceId);
    },
    of: (deviceId) => devices.get(deviceId) ?? [],
    listening(deviceId, topicOf) {
      const listeners: Listener[] = [];
      for (const connection of devices.get(deviceId) ?? []) {
        const qos = connection.client.closed ? undefined : connection.filters.qosOf(topicOf(connection));
        if (qos !== undefined) listeners.push({ connection, qos });
      }
      return listeners;
    },
    all: () => [...devices.values()].flat(),
  };
}
