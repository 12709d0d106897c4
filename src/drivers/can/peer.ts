import { ConnectionError } from "#drivers/connection-error.ts";
import { FrameLog, type FrameRoom, FrameStore } from "#drivers/port/can-bus.ts";
import type { CanFilter, LoggedFrames } from "#drivers/port/port-request.ts";
import { Health, PATIENCE_MS, type PeerWorld, type ScriptedNeeds, type ScriptedPeer } from "#drivers/scripted-peer.ts";
import type { Frame, PeerChange, PeriodicFrame, Sent } from "#manifest/scenario/peers.ts";
import { canCalls } from "./can-calls.ts";
import { hex } from "./hex.ts";

/** A scenario is short. */
const UNBOUNDED: FrameRoom = { take: () => true, give: () => {} };

interface Repeated {
  readonly frame: PeriodicFrame;
  nextAt: number;
}

/** Frames of one kind that a script is given at once after it has not looked for long; the others are lost to it. */
const MOST_AT_ONCE = 10_000;

/** A CAN bus by the frames on it. They are put into queues when somebody looks, so a busy bus costs nothing meanwhile. */
export class ScriptedCan implements ScriptedPeer {
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

  send({ frames = [] }: Sent): void {
    for (const frame of frames) this.#say(frame);
  }

  #say(frame: Frame): void {
    this.#catchUp();
    this.#world.happened({
      kind: "note",
      text: `${this.#world.name} → frame 0x${frame.id.toString(16)} ${hex(frame.data)}`,
    });
    this.#put(frame);
  }

  frame(id: number, data: Uint8Array): Promise<undefined> {
    return this.health.answer(`frame 0x${id.toString(16)}`, PATIENCE_MS, () => {
      this.#world.happened({ kind: "frame", peer: this.#world.name, id, data: [...data] });
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

export const peers = { can: ScriptedCan };
export const connect = ({ ports }: ScriptedNeeds) => ({ calls: canCalls(ports), close() {} });
