import { ConnectionError } from "#drivers/connection-error.ts";
import { Health, type PeerWorld, type ScriptedNeeds, type ScriptedPeer } from "#drivers/scripted-peer.ts";
import type { PeerChange, Sent, SerialAnswer } from "#manifest/scenario/peers.ts";
import { serialCalls } from "./serial-calls.ts";

/** A device at a serial line, by what it answers to what. */
export class ScriptedSerial implements ScriptedPeer {
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

  send({ bytes = "" }: Sent): void {
    this.#say(bytes);
  }

  /** What the device says on its own. */
  #say(bytes: string): void {
    this.#received += bytes;
    this.#world.happened({ kind: "note", text: `${this.#world.name} → ${JSON.stringify(bytes)}` });
    this.#waiting?.();
  }

  async write(data: Uint8Array): Promise<undefined> {
    const bytes = Buffer.from(data).toString("latin1");
    this.#world.happened({ kind: "bytes", peer: this.#world.name, bytes });
    if (!this.health.speaks) return undefined;
    this.#asked += bytes;
    const found = this.#answers.find(({ to }) => this.#asked.endsWith(to));
    if (found === undefined) return undefined;
    this.#asked = "";
    this.#world.timers.after(this.health.delay, () => {
      if (this.health.speaks) this.#say(found.answer);
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

export const peers = { serial: ScriptedSerial };
export const connect = ({ ports }: ScriptedNeeds) => ({ calls: serialCalls(ports), close() {} });
