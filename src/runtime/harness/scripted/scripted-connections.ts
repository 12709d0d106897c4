import type { ModbusConnection, MqttConnection, PeerConnections } from "#drivers/peer-connections.ts";
import type { PortAnswer, PortRequest, PortSession } from "#drivers/port/port-request.ts";
import type { Timers } from "#drivers/timers.ts";
import type { Peer, PeerChange, Sent } from "#manifest/scenario/peers.ts";
import type { PeerKind } from "#manifest/scenario/scenario-context.ts";
import { ScriptedHttp } from "./scripted-http.ts";
import { ScriptedModbus } from "./scripted-modbus.ts";
import { ScriptedMqtt } from "./scripted-mqtt.ts";
import type { PeerWorld } from "./scripted-peer.ts";
import { addressKey, hostKey, nobody, portKey } from "./scripted-peer.ts";
import { ScriptedCan, ScriptedLevel, ScriptedSerial } from "./scripted-port.ts";

type Scripted = ScriptedModbus | ScriptedHttp | ScriptedMqtt | ScriptedSerial | ScriptedCan | ScriptedLevel;

interface Entry {
  readonly kind: PeerKind;
  /** Undefined takes every address. */
  readonly key: string | undefined;
  readonly peer: Scripted;
}

/** All peers of a scenario. They outlive the script, which may be started again. */
export interface ScriptedPeers {
  change(name: string, change: PeerChange): void;
  send(name: string, sent: Sent): void;
  level(name: string, quantity: "state" | "volts" | "amps"): number | undefined;
  /** What the script called although nobody is there, in words. */
  strangers(): readonly string[];
  /** For one run of the script. */
  connections(): PeerConnections;
}

interface Needs {
  readonly timers: Timers;
  readonly tell: PeerWorld["tell"];
}

export function createScriptedPeers({ timers, tell }: Needs, peers: ReadonlyMap<string, Peer>): ScriptedPeers {
  const entries = new Map<string, Entry>();
  for (const [name, { kind, address, state }] of peers) {
    const peer = create(kind, { name, timers, tell });
    peer.change(state);
    entries.set(name, { kind, key: address === undefined ? undefined : addressKey(kind, address), peer });
  }
  /** Addresses that the script called in vain. */
  const strangers = new Map<string, string>();

  /** One at that very address before one that takes every address. */
  function find<T extends Scripted>(
    type: abstract new (world: PeerWorld) => T,
    key: string,
    kind?: PeerKind,
  ): T | undefined {
    const fitting = [...entries.values()].filter(
      (entry) => entry.peer instanceof type && (kind === undefined || entry.kind === kind),
    );
    const found = fitting.find((entry) => entry.key === key) ?? fitting.find((entry) => entry.key === undefined);
    if (found?.peer instanceof type) return found.peer;
    if (!strangers.has(key)) {
      const others = fitting.map((entry) => entry.key).join(", ");
      const text = `the scenario has no peer at ${key}${others === "" ? "" : `, but at ${others}`}`;
      strangers.set(key, text);
      tell({ kind: "note", text });
    }
    return undefined;
  }

  return {
    change: (name, change) => entries.get(name)?.peer.change(change),
    send: (name, sent) => sendTo(entries.get(name)?.peer, sent),
    level(name, quantity) {
      const peer = entries.get(name)?.peer;
      return peer instanceof ScriptedLevel ? peer.value(quantity) : undefined;
    },
    strangers: () => [...strangers.values()],
    connections() {
      const brokers = new Map<string, MqttConnection>();
      return {
        modbusTcp: (host, port) => modbusConnection(timers, hostKey(host, port), (key) => find(ScriptedModbus, key)),
        http(request) {
          const key = addressKey("http", request.url);
          return find(ScriptedHttp, key)?.request(request) ?? nobody(timers, request.timeoutMs, key);
        },
        mqtt(target) {
          // The same target is the same client, with its subscriptions.
          const name = JSON.stringify(target);
          const key = hostKey(target.host, target.port);
          const wire = brokers.get(name) ?? find(ScriptedMqtt, key)?.connect() ?? noBroker(timers, key);
          brokers.set(name, wire);
          return wire;
        },
        ports: portSession(timers, find),
        close() {
          for (const wire of brokers.values()) wire.close();
        },
      };
    },
  };
}

function create(kind: PeerKind, world: PeerWorld): Scripted {
  switch (kind) {
    case "modbus":
      return new ScriptedModbus(world);
    case "http":
      return new ScriptedHttp(world);
    case "mqtt":
      return new ScriptedMqtt(world);
    case "serial":
      return new ScriptedSerial(world);
    case "can":
      return new ScriptedCan(world);
    case "relay":
    case "digitalin":
    case "digitalout":
    case "analogin":
    case "analogout":
      return new ScriptedLevel(world);
  }
}

function sendTo(peer: Scripted | undefined, { frames = [], bytes = "", messages = [] }: Sent): void {
  if (peer instanceof ScriptedCan) for (const frame of frames) peer.say(frame);
  if (peer instanceof ScriptedSerial) peer.say(bytes);
  if (peer instanceof ScriptedMqtt) for (const message of messages) peer.say(message);
}

function modbusConnection(
  timers: Timers,
  key: string,
  find: (key: string) => ScriptedModbus | undefined,
): ModbusConnection {
  return {
    request: (unit, pdu, timeoutMs) => find(key)?.request(unit, pdu, timeoutMs) ?? nobody(timers, timeoutMs, key),
    close() {},
  };
}

function noBroker(timers: Timers, key: string): MqttConnection {
  return {
    publish: (_, timeoutMs) => nobody(timers, timeoutMs, key),
    subscribe: (_filter, _qos, timeoutMs) => nobody(timers, timeoutMs, key),
    unsubscribe: (_, timeoutMs) => nobody(timers, timeoutMs, key),
    take: () => ({ messages: [], dropped: 0 }),
    isConnected: () => false,
    close() {},
  };
}

type Find = <T extends Scripted>(
  type: abstract new (world: PeerWorld) => T,
  key: string,
  kind?: PeerKind,
) => T | undefined;

/** How long a port that no peer serves keeps a script waiting. */
const NOBODY_MS = 1_000;

function portSession(timers: Timers, find: Find): PortSession {
  /** What each level port was opened as: a relay and an input may have the same name. */
  const uses = new Map<string, PeerKind>();
  return {
    call(port, request) {
      const key = portKey(port);
      if (request.op === "open" && isLevelUse(request.use)) uses.set(port, request.use);
      const patience = "timeoutMs" in request ? request.timeoutMs : NOBODY_MS;
      return answerFor(find, { key, request, use: uses.get(port) }) ?? nobody(timers, patience, key);
    },
    close() {},
  };
}

const LEVEL_USES: readonly string[] = ["relay", "digitalin", "digitalout", "analogin", "analogout"];

function isLevelUse(use: string): use is PeerKind {
  return LEVEL_USES.includes(use);
}

interface Asked {
  readonly key: string;
  readonly request: PortRequest;
  readonly use: PeerKind | undefined;
}

/** Undefined where nobody answers. */
function answerFor(find: Find, { key, request, use }: Asked): Promise<PortAnswer> | undefined {
  switch (request.op) {
    case "open":
    case "serial.lock":
    case "serial.unlock":
      return Promise.resolve(undefined);
    case "modbus":
      return find(ScriptedModbus, key)?.request(request.unit, request.pdu, request.timeoutMs);
    case "serial.read":
      return find(ScriptedSerial, key)?.read(request.count, request.timeoutMs);
    case "serial.receive":
      return find(ScriptedSerial, key)?.receive(request.count, request.timeoutMs);
    case "serial.write":
      return find(ScriptedSerial, key)?.write(request.data);
    case "serial.flush":
      return find(ScriptedSerial, key)?.flush();
    case "can.send":
      return find(ScriptedCan, key)?.send(request.id, request.data);
    case "can.listen":
      return find(ScriptedCan, key)?.listen(request.filter);
    case "can.take":
      return find(ScriptedCan, key)?.take(request.listener, request.ids);
    case "can.log":
      return find(ScriptedCan, key)?.log(request.size);
    case "can.take_log":
      return find(ScriptedCan, key)?.takeLog(request.listener);
    case "can.drops":
      return find(ScriptedCan, key)?.drops(request.listener, request.id);
    case "level.read":
      return find(ScriptedLevel, key, use)?.read(request.quantity);
    case "level.write":
      return find(ScriptedLevel, key, use)?.write(request.quantity, request.value);
    case "level.impulse":
      return find(ScriptedLevel, key, use)?.impulse(request.ms);
  }
}
