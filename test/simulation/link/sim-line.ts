// The line between a gateway and its cloud. Frames of one connection arrive in order, after a while, or not at all. A
// connection may be cut, and then each side notices at a time of its own. A line in trouble also breaks in the
// middle of frames, repeats them, and lets frames of former connections appear again.
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { SimClock } from "../sim-clock.ts";
import type { Run } from "./sim-records.ts";

interface LineNeeds {
  readonly clock: SimClock;
  readonly random: () => number;
}

export interface Trouble {
  /** Part of the frames that come twice. */
  readonly repeats: number;
  /** Part of the frames before which an old one comes again. */
  readonly replays: number;
  /** Part of the frames of which only the beginning comes. Then the connection breaks. */
  readonly breaks: number;
  /** Longest time of a frame on its way. */
  readonly delayMs: number;
}

export const NO_TROUBLE: Trouble = { repeats: 0, replays: 0, breaks: 0, delayMs: 20 };
/** A side that hears nothing gives up after this time. */
const NOTICED_MS = 45_000;
const CLOSE_MS = 1_000;
const KEPT_FRAMES = 200;

export class SimLine {
  trouble: Trouble = NO_TROUBLE;
  isCut = false;
  /** Ends of dead connections whose side does not know yet. */
  readonly unnoticed = new Set<{ end(): void }>();
  readonly #needs: LineNeeds;
  #connections: Connection[] = [];
  /** Frames that were once on the line, by direction. */
  readonly seen: Record<"up" | "down", Uint8Array[]> = { up: [], down: [] };

  constructor(needs: LineNeeds) {
    this.#needs = needs;
  }

  /** Opens a connection between two runs. */
  open(gateway: Run, cloud: Run): { readonly near: LinkSocket & { end(): void }; readonly far: LinkSocket } {
    const connection = new Connection(this.#needs, this, { gateway, cloud });
    this.#connections = this.#connections.filter((one) => !one.isDead);
    this.#connections.push(connection);
    return connection;
  }

  /** Ends all connections. With `slow`, at least one side may notice only when it misses signs of life. */
  cut(slow: boolean): void {
    for (const connection of this.#connections) connection.die(slow);
    this.#connections = [];
  }

  /** Both sides of every connection that has ended know that by now. */
  notice(): void {
    for (const end of this.unnoticed) end.end();
    this.unnoticed.clear();
  }

  get isConnected(): boolean {
    return this.#connections.some(({ isOpen }) => isOpen);
  }

  /** The run is gone, and the system of its machine informs the other side. */
  crashed(run: Run): void {
    for (const connection of this.#connections) if (connection.isOf(run)) connection.die(false);
  }
}

class Connection {
  readonly near: End;
  readonly far: End;
  isDead = false;
  readonly #needs: LineNeeds;
  readonly #line: SimLine;
  readonly #runs: { readonly gateway: Run; readonly cloud: Run };

  constructor(needs: LineNeeds, line: SimLine, runs: { readonly gateway: Run; readonly cloud: Run }) {
    this.#needs = needs;
    this.#line = line;
    this.#runs = runs;
    this.near = new End(needs, line, { connection: this, direction: "up", run: runs.gateway });
    this.far = new End(needs, line, { connection: this, direction: "down", run: runs.cloud });
    this.near.peer = this.far;
    this.far.peer = this.near;
  }

  get isOpen(): boolean {
    return !this.isDead && !this.near.hasEnded && !this.far.hasEnded;
  }

  isOf(run: Run): boolean {
    return this.#runs.gateway === run || this.#runs.cloud === run;
  }

  die(slow: boolean): void {
    if (this.isDead) return;
    this.isDead = true;
    const { clock, random } = this.#needs;
    for (const end of [this.near, this.far]) {
      this.#line.unnoticed.add(end);
      clock.after(slow && random() < 0.5 ? random() * NOTICED_MS : random() * 50, () => {
        this.#line.unnoticed.delete(end);
        end.end();
      });
    }
  }
}

interface Place {
  readonly connection: Connection;
  readonly direction: "up" | "down";
  readonly run: Run;
}

class End implements LinkSocket {
  peer: End | undefined;
  readonly frames: AsyncIterable<Uint8Array>;
  readonly #needs: LineNeeds;
  readonly #line: SimLine;
  readonly #place: Place;
  #waiting: Uint8Array[] = [];
  #wake: (() => void) | undefined;
  /** Its side knows that the connection is over. */
  hasEnded = false;
  #isClosing = false;
  /** When the latest frame to here arrives. */
  #arrival = 0;

  constructor(needs: LineNeeds, line: SimLine, place: Place) {
    this.#needs = needs;
    this.#line = line;
    this.#place = place;
    this.frames = this.#read();
  }

  async *#read(): AsyncIterable<Uint8Array> {
    for (;;) {
      const frame = this.#waiting.shift();
      if (frame !== undefined) yield frame;
      else if (this.hasEnded) return;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }

  async send(frame: Uint8Array): Promise<void> {
    if (this.hasEnded || this.#isClosing) throw new Error("the connection has ended");
    const { random } = this.#needs;
    const { trouble, seen } = this.#line;
    const kept = seen[this.#place.direction];
    const old = random() < trouble.replays ? kept[Math.floor(random() * kept.length)] : undefined;
    if (old !== undefined) this.#carry(old);
    kept.push(frame);
    if (kept.length > KEPT_FRAMES) kept.shift();
    if (random() < trouble.breaks) {
      this.#carry(frame.subarray(0, 1 + Math.floor(random() * (frame.length - 1))));
      this.#at(() => this.#place.connection.die(false));
      return;
    }
    this.#carry(frame);
    if (random() < trouble.repeats) this.#carry(frame);
  }

  #carry(frame: Uint8Array): void {
    this.#at(() => this.peer?.arrive(frame));
  }

  /** In order, if the connection still exists then. */
  #at(task: () => void): void {
    const { peer } = this;
    if (peer === undefined) return;
    const { clock, random } = this.#needs;
    peer.#arrival = Math.max(peer.#arrival, clock.elapsed + 1 + random() * this.#line.trouble.delayMs);
    clock.after(peer.#arrival - clock.elapsed, () => this.#place.connection.isDead || task());
  }

  arrive(frame: Uint8Array): void {
    if (this.hasEnded || this.#place.run.isOver) return;
    this.#waiting.push(Uint8Array.from(frame));
    this.#awake();
  }

  end(): void {
    this.hasEnded = true;
    if (!this.#place.run.isOver) this.#awake();
  }

  #awake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  close(): void {
    if (this.#isClosing || this.#place.run.isOver) return;
    this.#isClosing = true;
    this.#at(() => {
      this.peer?.end();
      this.peer?.close();
    });
    this.#needs.clock.after(CLOSE_MS, () => this.end());
  }
}
