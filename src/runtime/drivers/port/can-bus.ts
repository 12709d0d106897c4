import type { CanFilter, LoggedFrames } from "./port-request.ts";

export interface CanFrame {
  readonly id: number;
  readonly data: Uint8Array;
}

/** A CAN bus as frames. Its opener is its only user. */
export interface CanBus {
  send(frame: CanFrame): Promise<void>;
  close(): void;
}

interface CanListener {
  received(frame: CanFrame): void;
  lost(why: string): void;
}

export type OpenCan = (listener: CanListener) => Promise<CanBus>;

/** Above it an identifier is an extended one, of 29 bits. */
export const MAX_STANDARD_ID = 0x7ff;
export const MAX_EXTENDED_ID = 0x1fffffff;
export const MAX_CAN_BYTES = 8;

/** Frames that one device waits for, kept until it takes them. */
export class FrameStore {
  readonly #filter: CanFilter;
  readonly #frames: Map<number, Uint8Array[]>;
  readonly #drops = new Map<number, number>();

  constructor(filter: CanFilter) {
    this.#filter = filter;
    this.#frames = new Map(filter.ids.map((id) => [id, []]));
  }

  add({ id, data }: CanFrame): void {
    const frames = this.#frames.get(id);
    if (frames === undefined) return;
    if (frames.length >= this.#filter.size) {
      this.#drops.set(id, (this.#drops.get(id) ?? 0) + 1);
      if (this.#filter.drop === "newest") return;
      frames.shift();
    }
    frames.push(data);
  }

  take(id: number): readonly Uint8Array[] {
    return this.#frames.get(id)?.splice(0) ?? [];
  }

  /** Since the last call. */
  drops(id: number): number {
    const count = this.#drops.get(id) ?? 0;
    this.#drops.delete(id);
    return count;
  }
}

/** Frames of every identifier, in the order of their arrival, kept until the device takes them. */
export class FrameLog {
  readonly #size: number;
  #frames: CanFrame[] = [];
  #dropped = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(frame: CanFrame): void {
    // Dropped in blocks: to shift an array once per frame costs time on a busy bus.
    if (this.#frames.length >= this.#size) {
      const dropped = Math.ceil(this.#size / 16);
      this.#frames.splice(0, dropped);
      this.#dropped += dropped;
    }
    this.#frames.push(frame);
  }

  takeAll(): LoggedFrames {
    const taken = { frames: this.#frames, dropped: this.#dropped };
    this.#frames = [];
    this.#dropped = 0;
    return taken;
  }
}
