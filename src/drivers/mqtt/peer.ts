import {
  Health,
  hostKey,
  nobody,
  type PeerWorld,
  type ScriptedNeeds,
  type ScriptedPeer,
} from "#drivers/scripted-peer.ts";
import type { Timers } from "#drivers/timers.ts";
import type { PeerChange, MqttMessage as ScriptedMessage, Sent } from "#manifest/scenario/peers.ts";
import { mqttCalls } from "./mqtt-calls.ts";
import type { MqttConnection, MqttMessage, MqttTarget } from "./mqtt-client.ts";

/** A broker that delivers the scenario's messages to subscribers. */
class ScriptedMqtt implements ScriptedPeer {
  readonly health: Health;
  readonly #world: PeerWorld;
  readonly #clients = new Set<{ readonly filters: Set<string>; arrived: MqttMessage[] }>();

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.health.change(change);
  }

  send({ messages = [] }: Sent): void {
    for (const message of messages) this.#say(message);
  }

  #say({ topic, payload }: ScriptedMessage): void {
    this.#world.happened({ kind: "note", text: `${this.#world.name} → ${topic} ${JSON.stringify(payload)}` });
    for (const client of this.#clients) {
      if ([...client.filters].some((filter) => fitsFilter(filter, topic))) {
        client.arrived.push({ topic, payload: Buffer.from(payload, "latin1") });
      }
    }
  }

  connect(): MqttConnection {
    const { health } = this;
    const client: { readonly filters: Set<string>; arrived: MqttMessage[] } = { filters: new Set(), arrived: [] };
    this.#clients.add(client);
    return {
      publish: ({ topic, payload }, timeoutMs) =>
        health.answer(`publish ${topic}`, timeoutMs, () =>
          this.#world.happened({
            kind: "published",
            peer: this.#world.name,
            topic,
            payload: Buffer.from(payload).toString("utf8"),
          }),
        ),
      subscribe: (filter, _qos, timeoutMs) =>
        health.answer(`subscribe ${filter}`, timeoutMs, () => void client.filters.add(filter)),
      unsubscribe: (filter, timeoutMs) =>
        health.answer(`unsubscribe ${filter}`, timeoutMs, () => void client.filters.delete(filter)),
      take: () => ({ messages: client.arrived.splice(0), dropped: 0 }),
      isConnected: () => health.speaks,
      close: () => void this.#clients.delete(client),
    };
  }
}

/** `a/+/c`, `a/#`. */
function fitsFilter(filter: string, topic: string): boolean {
  const wanted = filter.split("/");
  const given = topic.split("/");
  for (const [at, word] of wanted.entries()) {
    if (word === "#") return true;
    if (given[at] === undefined || (word !== "+" && word !== given[at])) return false;
  }
  return wanted.length === given.length;
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

export const peers = { mqtt: ScriptedMqtt };
export const connect = ({ find, timers }: ScriptedNeeds) => {
  const brokers = new Map<string, MqttConnection>();
  // The same target is the same client, with its subscriptions.
  const connectTo = (target: MqttTarget) => {
    const name = JSON.stringify(target);
    const key = hostKey(target.host, target.port);
    const wire = brokers.get(name) ?? find(ScriptedMqtt, key)?.connect() ?? noBroker(timers, key);
    brokers.set(name, wire);
    return wire;
  };
  return {
    calls: mqttCalls(connectTo),
    close() {
      for (const wire of brokers.values()) wire.close();
    },
  };
};
