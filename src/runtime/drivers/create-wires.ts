// The real ways out of one device's script: sockets under the address policy, and ports through the hub.
import type { ReachRule } from "#core/net/reach-rule.ts";
import { createModbusTcp } from "./modbus/modbus-tcp.ts";
import { createReach } from "./net/create-reach.ts";
import { createHttpWire, type HttpWire } from "./net/http-wire.ts";
import { createMqttWire } from "./net/mqtt-wire.ts";
import type { PortSession } from "./port/port-request.ts";
import { realTimers } from "./timers.ts";
import type { ModbusWire, MqttWire, Wires } from "./wires.ts";

interface WireNeeds {
  /** What the device may reach (`reachRulesFor`). */
  readonly rules: readonly ReachRule[];
  readonly ports: PortSession;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  readonly ownAddresses?: () => readonly string[];
}

const MAX_MODBUS_CONNECTIONS = 16;
const MAX_MQTT_CONNECTIONS = 4;

export function createWires({ rules, ports, now, ownAddresses }: WireNeeds): Wires {
  const reach = createReach(ownAddresses === undefined ? { rules } : { rules, ownAddresses });
  // Most devices speak no HTTP.
  let http: HttpWire | undefined;
  const modbus = createShelf<ModbusWire>(MAX_MODBUS_CONNECTIONS);
  const mqtt = createShelf<MqttWire>(MAX_MQTT_CONNECTIONS);
  const needs = { reach, timers: realTimers };
  return {
    modbusTcp: (host, port) => modbus.get(`${host}:${port}`, () => createModbusTcp(needs, host, port)),
    http(request) {
      http ??= createHttpWire({ reach, now });
      return http.send(request);
    },
    mqtt: (target) => mqtt.get(JSON.stringify(target), () => createMqttWire(needs, target)),
    ports,
    close() {
      modbus.close();
      mqtt.close();
      http?.close();
      ports.close();
    },
  };
}

/** So many at a time by key; the one that was used longest ago is closed for a new one. */
function createShelf<T extends { close(): void }>(room: number) {
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
