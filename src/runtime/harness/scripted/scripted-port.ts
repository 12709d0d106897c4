// Peers at ports: serial lines, CAN buses, relays, inputs and outputs.

import { ConnectionError } from "#drivers/peer-connections.ts";
import { FrameLog, type FrameRoom, FrameStore } from "#drivers/port/can-bus.ts";
import type { CanFilter, LoggedFrames, Quantity } from "#drivers/port/port-request.ts";
import type { Frame, PeerChange, PeriodicFrame, SerialAnswer } from "#manifest/scenario/peers.ts";
import { hex } from "#runtime/harness/scenario-event.ts";
import { Health, type PeerWorld } from "./scripted-peer.ts";

/** How long a call without a timeout of its own waits for a silent peer. */
const PATIENCE_MS = 1_000;
/** A scenario is short. */
const UNBOUNDED: FrameRoom = { take: () => true, give: () => {} };

/** A device at a serial line, by what it answers to what. */
export class ScriptedSerial {
  readonly health: Health;
  readonly #world: PeerWorld;
  #answers: readonly SerialAnswer[] = [];
  #received = "";
  /** Sent by the script and not yet answered. */
  #asked = "";
  #waiting: (() => void) | undefined;

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.health.change(change);
    this.#answers = change.answers ?? this.#answers;
  }

  /** What the device says on its own. */
  say(bytes: string): void {
    this.#received += bytes;
    this.#world.tell({ kind: "note", text: `${this.#world.name} → ${JSON.stringify(bytes)}` });
    this.#waiting?.();
  }

  async write(data: Uint8Array): Promise<undefined> {
    const bytes = Buffer.from(data).toString("latin1");
    this.#world.tell({ kind: "bytes", peer: this.#world.name, bytes });
    if (!this.health.speaks) return undefined;
    this.#asked += bytes;
    const found = this.#answers.find(({ to }) => this.#asked.endsWith(to));
    if (found === undefined) return undefined;
    this.#asked = "";
    this.#world.timers.after(this.health.delay, () => {
      if (this.health.speaks) this.say(found.answer);
    });
    return undefined;
  }

  async flush(): Promise<undefined> {
    this.#received = "";
    return undefined;
  }

  async read(count: number, timeoutMs: number): Promise<Uint8Array> {
    if (this.#received.length < count) await this.#arrival(count, timeoutMs);
    if (this.#received.length < count) {
      const text = `${this.#received.length} of ${count} bytes arrived within ${timeoutMs} ms`;
      throw this.health.fail(`read ${count}`, new ConnectionError("timeout", text));
    }
    const bytes = Buffer.from(this.#received.slice(0, count), "latin1");
    this.#received = this.#received.slice(count);
    return bytes;
  }

  /** What has arrived, or arrives within this time. */
  async receive(count: number, timeoutMs: number): Promise<Uint8Array> {
    if (this.#received === "") await this.#arrival(1, timeoutMs);
    if (this.#received === "") {
      const text = `nothing arrived within ${timeoutMs} ms`;
      throw this.health.fail("receive", new ConnectionError("timeout", text));
    }
    return await this.read(Math.min(count, this.#received.length), timeoutMs);
  }

  #arrival(count: number, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#waiting = undefined;
        resolve();
      };
      const cancel = this.#world.timers.after(timeoutMs, end);
      this.#waiting = () => {
        if (this.#received.length >= count) end();
      };
    });
  }
}

interface Repeated {
  readonly frame: PeriodicFrame;
  nextAt: number;
}

/** Frames of one kind that a script is given at once after it has not looked for long; the others are lost to it. */
const MOST_AT_ONCE = 10_000;

/** A CAN bus by the frames on it. They are put into queues when somebody looks, so a busy bus costs nothing meanwhile. */
export class ScriptedCan {
  readonly health: Health;
  readonly #world: PeerWorld;
  readonly #stores: (FrameStore | FrameLog)[] = [];
  #repeated: readonly Repeated[] = [];

  constructor(world: PeerWorld) {
    this.#world = world;
    this.health = new Health(world);
  }

  change(change: PeerChange): void {
    this.#catchUp();
    this.health.change(change);
    // The first frame comes at once.
    const nextAt = this.#world.timers.elapsed();
    this.#repeated = change.frames?.map((frame) => ({ frame, nextAt })) ?? this.#repeated;
  }

  /** What has been on the bus until then. How well the bus is has not changed since the last time. */
  #catchUp(until = this.#world.timers.elapsed()): void {
    for (const one of this.#repeated) {
      const every = one.frame.every === undefined ? Number.POSITIVE_INFINITY : Math.max(1, one.frame.every);
      for (let count = 0; one.nextAt <= until; count += 1, one.nextAt += every) {
        if (this.health.speaks && count < MOST_AT_ONCE) this.#put(one.frame);
      }
    }
  }

  #put({ id, data }: Frame): void {
    for (const store of this.#stores) store.add({ id, data: Uint8Array.from(data) });
  }

  say(frame: Frame): void {
    this.#catchUp();
    this.#world.tell({
      kind: "note",
      text: `${this.#world.name} → frame 0x${frame.id.toString(16)} ${hex(frame.data)}`,
    });
    this.#put(frame);
  }

  send(id: number, data: Uint8Array): Promise<undefined> {
    return this.health.answer(`frame 0x${id.toString(16)}`, PATIENCE_MS, () => {
      this.#world.tell({ kind: "frame", peer: this.#world.name, id, data: [...data] });
      return undefined;
    });
  }

  async listen(filter: CanFilter): Promise<number> {
    // A frame of this very moment is heard: what comes once comes when the script starts.
    this.#catchUp(this.#world.timers.elapsed() - 1);
    return this.#stores.push(new FrameStore(filter, UNBOUNDED));
  }

  async log(size: number): Promise<number> {
    this.#catchUp(this.#world.timers.elapsed() - 1);
    return this.#stores.push(new FrameLog(size, UNBOUNDED));
  }

  async takeLog(listener: number): Promise<LoggedFrames> {
    this.#catchUp();
    return this.#store(listener, FrameLog).takeAll();
  }

  async take(listener: number, ids: readonly number[]): Promise<readonly (readonly Uint8Array[])[]> {
    this.#catchUp();
    return ids.map((id) => this.#store(listener, FrameStore).take(id));
  }

  async drops(listener: number, id: number): Promise<number> {
    this.#catchUp();
    return this.#store(listener, FrameStore).drops(id);
  }

  #store<Store extends FrameStore | FrameLog>(listener: number, kind: new (...needs: never[]) => Store): Store {
    const found = this.#stores[listener - 1];
    if (!(found instanceof kind)) throw new ConnectionError("closed", "there is no such monitor or queue");
    return found;
  }
}

/** A relay, an input or an output, by its levels. */
export class ScriptedLevel {
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
    this.#world.tell({ kind: "output", peer: this.#world.name, quantity, value });
  }
}
