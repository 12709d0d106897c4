// The connections of signed-in devices: what each of them listens to, and when a device comes and goes.
import type { Client } from "aedes";
import { type Address, filterMatches } from "#mqtt/topics.ts";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";
import type { FrameGuard } from "./frame-guard.ts";

export interface Connection {
  readonly device: SignedIn;
  readonly client: Client;
  readonly guard: FrameGuard;
  /** Filter to granted QoS. */
  readonly filters: Map<string, 0 | 1>;
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
  listening(deviceId: string, topicOf: (address: Address) => string): readonly Listener[];
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
    listening: (deviceId, topicOf) =>
      (devices.get(deviceId) ?? []).flatMap((connection) => {
        const qos = connection.client.closed ? undefined : listensAt(connection, topicOf(connection.device));
        return qos === undefined ? [] : [{ connection, qos }];
      }),
    all: () => [...devices.values()].flat(),
  };
}

/** The QoS at which the connection subscribed to the topic; undefined when none of its filters matches. */
function listensAt({ filters }: Connection, topic: string): 0 | 1 | undefined {
  let found: 0 | 1 | undefined;
  for (const [filter, qos] of filters) {
    if (filterMatches(filter, topic) && (found === undefined || qos > found)) found = qos;
  }
  return found;
}
