// The real connections of one device's script: sockets under the address policy, and hardware ports through the hub.
import type { ReachRule } from "#core/net/reach-rule.ts";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { createHttpConnection, type HttpConnection } from "#drivers/net/http-connection.ts";
import { createMqttConnection } from "#drivers/net/mqtt-connection.ts";
import { createModbusTcp } from "./modbus/modbus-tcp.ts";
import { createReach } from "./net/create-reach.ts";
import type { ModbusConnection, MqttConnection, PeerConnections } from "./peer-connections.ts";
import type { PortSession } from "./port/port-request.ts";
import { realTimers } from "./timers.ts";

interface ConnectionNeeds {
  /** What the device may reach (`reachRulesFor`). */
  readonly rules: () => readonly ReachRule[];
  readonly ports: PortSession;
  /** Room for MQTT messages that scripts have not taken yet. */
  readonly inboxes: Pick<ByteBudget, "take" | "give">;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly ownAddresses?: () => readonly string[];
}

const MAX_MODBUS_CONNECTIONS = 16;
const MAX_MQTT_CONNECTIONS = 4;

export function createPeerConnections(given: ConnectionNeeds): PeerConnections {
  const { rules, ports, now, inboxes, ownAddresses } = given;
  const reach = createReach(ownAddresses === undefined ? { rules } : { rules, ownAddresses });
  // Most devices speak no HTTP.
  let http: HttpConnection | undefined;
  const modbus = createRepository<ModbusConnection>(MAX_MODBUS_CONNECTIONS);
  const mqtt = createRepository<MqttConnection>(MAX_MQTT_CONNECTIONS);
  const needs = { reach, timers: realTimers, inboxes };
  return {
    modbusTcp: (host, port) => modbus.get(`${host}:${port}`, () => createModbusTcp(needs, host, port)),
    http(request) {
      http ??= createHttpConnection({ reach, now });
      return http.send(request);
    },
    mqtt: (target) => mqtt.get(JSON.stringify(target), () => createMqttConnection(needs, target)),
    ports,
    close() {
      modbus.close();
      mqtt.close();
      http?.close();
      ports.close();
    },
  };
}

/** At most this many by key; the least recently used one is closed for a new one. */
function createRepository<T extends { close(): void }>(room: number) {
  const kept = new Map<string, T>();
  return {
    get(key: string, make: () => T): T {
      const found = kept.get(key) ?? make();
      kept.delete(key);
      kept.set(key, found);
      const [oldest] = kept;
      if (kept.size > room && oldest !== undefined) {
        kept.delete(oldest[0]);
        oldest[1].close();
      }
      return found;
    },
    close() {
      for (const one of kept.values()) one.close();
      kept.clear();
    },
  };
}
