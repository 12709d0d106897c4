// Sits between a socket and the broker. It reads only where each MQTT packet begins and how long it is.
//
// Invariants:
// - Nothing but CONNECT passes before the device has signed in.
// - No packet that passes is longer than its cap, so the broker's parser holds at most that much.
// - A PUBLISH beyond the cap is cut to just over the largest payload that is read, so it can still be reported and
// acknowledged.
// - Over the rate, nothing more is read from the socket.
// - All devices together have a share of the event loop. Packets pass only within it, and the devices take turns.
// - A plain PUBLISH of the device's telemetry or answers goes past the broker, unless something before it is still on its way to the broker. So
// does a PUBACK, which means nothing to it.

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { addressBlock } from "#core/net/address-block.ts";
import type { FairTurns } from "#core/share/fair-turns.ts";
import { encodeLength, type PacketHeader, readHeader } from "./packet-header.ts";
import { isAcknowledgement, type PlainPublish, readPlainPublish } from "./plain-publish.ts";
import type { TokenBucket } from "./token-bucket.ts";
import { type Settled, UnsettledMessages } from "./unsettled-messages.ts";

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
/** Of a PUBLISH that is held back until its end has arrived. Small, because each piece of it is copied once more with the next one. */
const MAX_WHOLE = 3_500;

export interface FrameGuardOptions {
  readonly maxPayload: number;
  /** Called for every packet after CONNECT. */
  readonly onPacket: () => void;
  /** The budget that all connections share. */
  readonly turns: Pick<FairTurns, "hasTime" | "later">;
}

/** The way past the broker. */
export interface PlainLane {
  readonly topics: readonly Buffer[];
  readonly take: (message: PlainPublish) => void;
}

export class FrameGuard extends Duplex {
  readonly socket: Socket;
  readonly #maxPublish: number;
  readonly #onPacket: () => void;
  readonly #turns: FrameGuardOptions["turns"];
  /** The key for taking turns: the address at first, then the device. */
  #key: string;
  #isQueued = false;
  /** The next message waits for its turn, and is not for the broker. */
  #isLate = false;
  #state: "before connect" | "signing in" | "open" = "before connect";
  #bucket: TokenBucket | undefined;
  /** Bytes read from the socket and held back. They begin with a packet that may not pass yet. */
  #chunk: Buffer | undefined;
  /** The beginning of a header, or of a short PUBLISH, whose end has not arrived. */
  #partial: Buffer | undefined;
  /** Bytes of the current packet that still have to be passed on, and then discarded. */
  #body = 0;
  #excess = 0;
  #isPaid = false;
  #isHungry = false;
  #hasEnded = false;
  #plain: PlainLane | undefined;
  readonly #unsettled = new UnsettledMessages((packets) => this.destroyed || this.write(packets));
  #keepAlive = 0;
  #lapse: NodeJS.Timeout | undefined;
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
  open(deviceId: string, bucket: TokenBucket, plain?: PlainLane): void {
    this.#key = `device ${deviceId}`;
    this.#plain = plain;
    if (this.#keepAlive > 0) {
      const ms = this.#keepAlive * 1_500 + 1;
      this.#lapse = setTimeout(() => this.destroy(new Error("keep alive timeout")), ms);
    }
    this.#state = "open";
    this.#bucket = bucket;
    this.#advance();
  }

  /** Once signed in, the connection ends after one and a half times so many seconds without a packet. 0: never. */
  set keepAlive(seconds: number) {
    this.#keepAlive = seconds;
  }

  /** Messages that went past the broker are durable. */
  settle(settled: Settled): void {
    const wasFull = this.#unsettled.isFull;
    this.#unsettled.settle(settled);
    if (wasFull) this.#advance();
  }

  /** Writes the acknowledgements so far, before another one that the broker writes. */
  acknowledge(): void {
    this.#unsettled.acknowledge();
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
    this.#waitForTurn();
    return null;
  }

  #waitForTurn(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#turns.later(this.#key, () => {
      this.#isQueued = false;
      this.#isLate = false;
      if (this.readableLength > 0 && !this.destroyed) this.emit("readable");
      this.#advance();
    });
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
    clearTimeout(this.#lapse);
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
      if (this.#isLate || this.#unsettled.isFull) return;
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
        if (header === "incomplete" || (from === at && this.#isToBeWhole(chunk, at, header))) {
          this.#pass(chunk.subarray(from, at));
          this.#partial = chunk.subarray(at);
          return;
        }
        const past = from === at ? this.#pastAt(chunk, at, header) : undefined;
        this.#isLate = past !== undefined && !this.#turns.hasTime();
        if (this.#isLate) this.#waitForTurn();
        if (this.#isLate || !this.#begin(header)) {
          if (this.destroyed) return;
          this.#pass(chunk.subarray(from, at));
          this.#chunk = chunk.subarray(at);
          return;
        }
        if (past !== undefined) {
          at += header.size + header.length;
          from = at;
          this.#body = 0;
          if (past !== "acknowledgement") this.#takePlain(past);
          continue;
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

  /** Whether the broker has read everything before, and the device reads what it gets. If it does not, the broker ends the connection. */
  get #isClear(): boolean {
    return this.#plain !== undefined && this.readableLength === 0 && !this.writableNeedDrain;
  }

  /** A short PUBLISH whose end has not arrived is held back: the broker would need all that comes after its beginning. */
  #isToBeWhole(chunk: Buffer, at: number, { type, length, size }: PacketHeader): boolean {
    return type === PUBLISH && length <= MAX_WHOLE && at + size + length > chunk.length && this.#isClear;
  }

  /** What goes past the broker. */
  #pastAt(chunk: Buffer, at: number, { length, size }: PacketHeader): PlainPublish | "acknowledgement" | undefined {
    if (!this.#isClear || this.#plain === undefined || length > this.#maxPublish) return undefined;
    const place = { at, size, length };
    if (isAcknowledgement(chunk, place)) return "acknowledgement";
    return readPlainPublish(chunk, place, this.#plain.topics);
  }

  #takePlain(message: PlainPublish): void {
    this.#unsettled.begin(message.payload.length);
    this.#plain?.take(message);
  }

  /** Whether the packet may pass now. A packet that may never pass destroys the connection. */
  #begin({ type, length, size }: PacketHeader): boolean {
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
      this.#lapse?.refresh();
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
