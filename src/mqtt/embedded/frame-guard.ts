// Sits between a socket and the broker. It reads only where each MQTT packet begins and how long it is.
//
// Invariants:
// - Nothing but CONNECT passes before the device has signed in.
// - No packet that passes is longer than its cap, so the broker's parser holds at most that much.
// - A PUBLISH beyond the cap is cut to just over the largest payload that is read, so it can still be reported and
// acknowledged.
// - Over the rate, nothing more is read from the socket.
// - All devices together have a share of the event loop. The broker gets packets only within it, and the devices take
// turns.

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { itemAt } from "#core/item-at.ts";
import { addressBlock } from "#core/net/address-block.ts";
import type { FairTurns } from "#core/share/fair-turns.ts";
import type { TokenBucket } from "./token-bucket.ts";

const CONNECT = 1;
const PUBLISH = 3;
const SUBSCRIBE = 8;
const UNSUBSCRIBE = 10;
/** Enough for a CONNECT with a will, or a SUBSCRIBE with long filters. */
const MAX_CONTROL = 80 * 1024;
/** Room for the topic and the message id of a PUBLISH. */
const PUBLISH_ROOM = 1024;
/**
 * A message costs one token, and one more for each piece of this size. Bytes beyond the cap are paid for when they
 * arrive, not when they are announced: otherwise five bytes could announce 256 MB and cost a device a minute.
 */
const BYTES_PER_TOKEN = 4096;
/** Packets that list topics cost by the topic, 5 us each: one token for each piece of this size, about a topic. */
const LIST_BYTES_PER_TOKEN = 64;
const LINGER_MS = 2_000;

export interface FrameGuardOptions {
  readonly maxPayload: number;
  /** Called for every packet after CONNECT. */
  readonly onPacket: () => void;
  /** The budget that all connections share. */
  readonly turns: Pick<FairTurns, "hasTime" | "later">;
}

interface Header {
  readonly type: number;
  readonly length: number;
  /** Bytes of the header itself. */
  readonly size: number;
}

export class FrameGuard extends Duplex {
  readonly socket: Socket;
  readonly #maxPublish: number;
  readonly #onPacket: () => void;
  readonly #turns: FrameGuardOptions["turns"];
  /** The key for taking turns: the address at first, then the device. */
  #key: string;
  #isQueued = false;
  #state: "before connect" | "signing in" | "open" = "before connect";
  #bucket: TokenBucket | undefined;
  /** Bytes read from the socket and held back. They begin with a packet that may not pass yet. */
  #chunk: Buffer | undefined;
  /** The beginning of a header whose end has not arrived. */
  #partial: Buffer | undefined;
  /** Bytes of the current packet that still have to be passed on, and then discarded. */
  #body = 0;
  #excess = 0;
  #isPaid = false;
  #isHungry = false;
  #hasEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: FrameGuardOptions) {
    super({ autoDestroy: true, allowHalfOpen: false });
    this.socket = socket;
    this.#maxPublish = options.maxPayload + PUBLISH_ROOM;
    this.#onPacket = options.onPacket;
    this.#turns = options.turns;
    this.#key = `address ${addressBlock(socket.remoteAddress ?? "")}`;
    socket.on("readable", () => this.#advance());
    socket.on("end", () => {
      this.#hasEnded = true;
      this.#advance();
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  /** The device has signed in: its packets pass from now on, at its own rate. */
  open(deviceId: string, bucket: TokenBucket): void {
    this.#key = `device ${deviceId}`;
    this.#state = "open";
    this.#bucket = bucket;
    this.#advance();
  }

  /** Bytes that the other end has not taken yet. */
  get unsent(): number {
    return this.writableLength + this.socket.writableLength;
  }

  /**
   * Returns nothing when the devices' share of this turn is used up. The stream becomes readable again in a later turn.
   */
  override read(size?: number): Buffer | null {
    // The stream itself requests no bytes when it only wants to be filled.
    if (size === 0 || this.readableLength === 0) return super.read(size);
    if (this.#isQueued) return null;
    if (this.#turns.hasTime()) return super.read(size);
    this.#isQueued = true;
    this.#turns.later(this.#key, () => {
      this.#isQueued = false;
      if (!this.destroyed) this.emit("readable");
    });
    return null;
  }

  override _read(): void {
    this.#isHungry = true;
    // Deferred on purpose. Bytes pushed in the middle of a read leave with that read. After that the stream announces
    // nothing until it is read again, and the broker waits for the announcement.
    queueMicrotask(() => this.#advance());
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#chunk = undefined;
    if (error === null) {
      // What was written last, such as a refused CONNACK, still goes out.
      this.socket.destroySoon();
      setTimeout(() => this.socket.destroy(), LINGER_MS).unref();
    } else this.socket.destroy();
    done(error);
  }

  #advance(): void {
    while (this.#isHungry && this.#timer === undefined && !this.destroyed) {
      if (this.#state === "signing in" && this.#body === 0) return;
      const chunk: Buffer | null = this.#chunk ?? this.socket.read();
      if (chunk === null) {
        if (this.#hasEnded) this.push(null);
        return;
      }
      const whole = this.#partial === undefined ? chunk : Buffer.concat([this.#partial, chunk]);
      this.#chunk = undefined;
      this.#partial = undefined;
      this.#scan(whole);
    }
  }

  /** Passes on what may pass and holds back the rest. */
  #scan(chunk: Buffer): void {
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#body > 0) {
        const step = Math.min(this.#body, chunk.length - at);
        this.#body -= step;
        at += step;
      } else if (this.#excess > 0) {
        this.#pass(chunk.subarray(from, at));
        const step = Math.min(this.#excess, chunk.length - at);
        this.#excess -= step;
        at += step;
        from = at;
        if (this.#pay(Math.ceil(step / BYTES_PER_TOKEN))) continue;
        if (at < chunk.length) this.#chunk = chunk.subarray(at);
        return;
      } else {
        const header = readHeader(chunk, at);
        if (header === "invalid") return void this.destroy(new Error("a packet with an invalid length"));
        const mayBegin = header !== "incomplete" && this.#begin(header);
        if (this.destroyed) return;
        if (!mayBegin) {
          this.#pass(chunk.subarray(from, at));
          if (header === "incomplete") this.#partial = chunk.subarray(at);
          else this.#chunk = chunk.subarray(at);
          return;
        }
        if (this.#excess > 0) {
          this.#pass(chunk.subarray(from, at));
          this.#pass(Buffer.concat([chunk.subarray(at, at + 1), encodeLength(this.#body)]));
          from = at + header.size;
        }
        at += header.size;
      }
    }
    this.#pass(chunk.subarray(from, at));
  }

  /** Whether the packet may pass now. A packet that may never pass destroys the connection. */
  #begin({ type, length, size }: Header): boolean {
    if (this.#state === "signing in") return false;
    const isPublish = type === PUBLISH;
    if (this.#state === "before connect" && type !== CONNECT) {
      this.destroy(new Error("the first packet is not CONNECT"));
      return false;
    }
    if (!isPublish && length > MAX_CONTROL) {
      this.destroy(new Error("a control packet is too large"));
      return false;
    }
    if (this.#state === "before connect") this.#state = "signing in";
    else if (!this.#isPaid) {
      this.#onPacket();
      this.#isPaid = true;
      const taken = Math.min(length, isPublish ? this.#maxPublish : MAX_CONTROL);
      const bytesPerToken = type === SUBSCRIBE || type === UNSUBSCRIBE ? LIST_BYTES_PER_TOKEN : BYTES_PER_TOKEN;
      if (!this.#pay(1 + Math.floor((taken + size) / bytesPerToken))) return false;
    }
    this.#isPaid = false;
    this.#body = isPublish ? Math.min(length, this.#maxPublish) : length;
    this.#excess = length - this.#body;
    return true;
  }

  /** Whether reading may go on at once. If not, it resumes by itself when the rate allows. */
  #pay(tokens: number): boolean {
    const wait = this.#bucket?.take(tokens) ?? 0;
    if (wait <= 0) return true;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#advance();
    }, wait);
    return false;
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0 && !this.push(bytes)) this.#isHungry = false;
  }
}

function readHeader(chunk: Buffer, at: number): Header | "incomplete" | "invalid" {
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = chunk[at + index];
    if (byte === undefined) return "incomplete";
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return { type: itemAt(chunk, at) >> 4, length, size: index + 1 };
  }
  return "invalid";
}

function encodeLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  do {
    const more = rest >= 0x80;
    bytes.push((rest % 128) + (more ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}
