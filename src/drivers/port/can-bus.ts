import type { CanFilter, LoggedFrames } from "./port-request.ts";

export interface CanFrame {
  readonly id: number;
  readonly data: Uint8Array;
}

/** A CAN bus as frames. Its opener is its only user. */
export interface CanBus {
  /** Whether a frame that is sent also arrives, as on the interfaces of the system. */
  readonly repeatsOwn: boolean;
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

/** Room for frames that nobody has taken yet. */
export interface FrameRoom {
  /** Room for one more frame, unless there is none. */
  take(): boolean;
  give(frames: number): void;
}

/** Frames that one device waits for, kept until it takes them. Without room it is as if the filter's size were reached. */
export class FrameStore {
  readonly #filter: CanFilter;
  readonly #room: FrameRoom;
  readonly #frames: Map<number, Uint8Array[]>;
  readonly #drops = new Map<number, number>();

  constructor(filter: CanFilter, room: FrameRoom) {
    this.#filter = filter;
    this.#room = room;
    this.#frames = new Map(filter.ids.map((id) => [id, []]));
  }

  add({ id, data }: CanFrame): void {
    const frames = this.#frames.get(id);
    if (frames === undefined) return;
    if (frames.length >= this.#filter.size || !this.#room.take()) {
      this.#drops.set(id, (this.#drops.get(id) ?? 0) + 1);
      // The new frame has the room of the oldest one.
      if (this.#filter.drop === "newest" || frames.shift() === undefined) return;
    }
    frames.push(data);
  }

  take(id: number): readonly Uint8Array[] {
    const taken = this.#frames.get(id)?.splice(0) ?? [];
    this.#room.give(taken.length);
    return taken;
  }

  /** Drops all frames. */
  clear(): void {
    for (const id of this.#frames.keys()) this.take(id);
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
  readonly #room: FrameRoom;
  #frames: CanFrame[] = [];
  #dropped = 0;

  constructor(size: number, room: FrameRoom) {
    this.#size = size;
    this.#room = room;
  }

  add(frame: CanFrame): void {
    // Dropped in blocks: to shift an array once per frame costs time on a busy bus.
    if (this.#frames.length >= this.#size || !this.#room.take()) {
      const dropped = this.#frames.splice(0, Math.ceil(this.#size / 16)).length;
      this.#dropped += Math.max(dropped, 1);
      if (dropped === 0) return;
      // The new frame has the room of one of them.
      this.#room.give(dropped - 1);
    }
    this.#frames.push(frame);
  }

  takeAll(): LoggedFrames {
    const taken = { frames: this.#frames, dropped: this.#dropped };
    this.#room.give(this.#frames.length);
    this.#frames = [];
    this.#dropped = 0;
    return taken;
  }

  /** Drops all frames. */
  clear(): void {
    this.takeAll();
  }
}
