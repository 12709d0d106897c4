import type { Quantity } from "#drivers/port/port-request.ts";
import { Health, PATIENCE_MS, type PeerWorld, type ScriptedNeeds, type ScriptedPeer } from "#drivers/scripted-peer.ts";
import type { PeerChange } from "#manifest/scenario/peers.ts";
import { levelCalls } from "./level-calls.ts";

/** A relay, an input or an output, by its levels. */
export class ScriptedLevel implements ScriptedPeer {
  readonly health: Health;
  readonly #world: PeerWorld;
  readonly #values = new Map<Quantity, number>();
  #endImpulse = () => {};

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.health.change(change);
    const state = change.closed ?? change.state;
    if (change.counter !== undefined) this.#values.set("counter", change.counter);
    if (change.volts !== undefined) this.#values.set("volts", change.volts);
    if (change.amps !== undefined) this.#values.set("amps", change.amps);
    if (state === undefined) return;
    // A pulse counts when it begins, unless the scenario sets the counter itself.
    if (state && this.value("state") === 0 && change.counter === undefined && this.#values.has("state")) {
      this.#values.set("counter", this.value("counter") + 1);
    }
    this.#values.set("state", Number(state));
  }

  value(quantity: Quantity): number {
    return this.#values.get(quantity) ?? 0;
  }

  read(quantity: Quantity): Promise<number> {
    return this.health.answer(`read ${quantity}`, PATIENCE_MS, () => this.value(quantity));
  }

  write(quantity: Quantity, value: number): Promise<undefined> {
    return this.health.answer(`set ${quantity} ${value}`, PATIENCE_MS, () => {
      this.#endImpulse();
      this.#set(quantity, value);
      return undefined;
    });
  }

  impulse(ms: number): Promise<undefined> {
    return this.health.answer(`impulse ${ms} ms`, PATIENCE_MS, () => {
      this.#endImpulse();
      const before = this.value("state");
      this.#set("state", 1 - before);
      const cancel = this.#world.timers.after(ms, () => this.#set("state", before));
      this.#endImpulse = cancel;
      return undefined;
    });
  }

  #set(quantity: Quantity, value: number): void {
    this.#values.set(quantity, value);
    this.#world.happened({ kind: "output", peer: this.#world.name, quantity, value });
  }
}

export const peers = {
  relay: ScriptedLevel,
  digitalin: ScriptedLevel,
  digitalout: ScriptedLevel,
  analogin: ScriptedLevel,
  analogout: ScriptedLevel,
};
export const connect = ({ ports }: ScriptedNeeds) => ({ calls: levelCalls(ports), close() {} });
