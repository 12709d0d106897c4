// Between a socket and the client of the library `mqtt`, which trusts its broker. It collects a packet only after its first
// bytes have said that a broker may send it, and that it is not too long. It hands on one whole packet at a time, because
// the codec reads beyond the end of a packet that is too short.
import { Duplex } from "node:stream";
import { ConnectionError } from "#drivers/connection-error.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** What a packet begins with. More is taken only when it comes: a broker may promise a long packet and send nothing. */
const FIRST_BYTES = 4096;
const PUBLISH = 3;
/** The packets that a broker sends to a client of at most QoS 1, by type, with the least length of their bodies. */
const LEAST_BODY: Readonly<Record<number, number>> = { 2: 2, [PUBLISH]: 2, 4: 2, 9: 3, 11: 2, 13: 0 };

export class PacketGuard extends Duplex {
  readonly #socket: Duplex;
  readonly #refuse: (error: ConnectionError) => void;
  /** The first bytes of a packet, up to its length. */
  #head: number[] = [];
  #packet: Buffer = Buffer.alloc(0);
  #filled = 0;
  #size = 0;

  /** `refuse` is called once, with what is wrong with a packet, and ends the connection. */
  constructor(socket: Duplex, refuse: (error: ConnectionError) => void) {
    super();
    this.#socket = socket;
    this.#refuse = refuse;
    socket.on("data", (piece: Buffer) => this.#receive(piece));
    socket.on("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  /** The codec writes a packet in many parts. They leave as one. */
  override _writev(parts: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    // A socket that has said good-bye ends by itself, and has to be read until then.
    if (this.#socket.writableEnded) this.#socket.resume();
    else this.#socket.destroy();
    done();
  }

  #receive(piece: Buffer): void {
    try {
      let at = 0;
      while (at < piece.length && !this.destroyed)
        at = this.#size === 0 ? this.#begin(piece, at) : this.#fill(piece, at);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#refuse(error);
      this.destroy();
    }
  }

  #begin(piece: Buffer, at: number): number {
    this.#head.push(piece.readUInt8(at));
    const body = bodyLength(this.#head);
    if (body === undefined) return at + 1;
    this.#size = this.#head.length + body;
    this.#packet = Buffer.alloc(Math.min(this.#size, FIRST_BYTES));
    this.#packet.set(this.#head);
    this.#filled = this.#head.length;
    this.#head = [];
    this.#deliver();
    return at + 1;
  }

  #fill(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.#size - this.#filled);
    const needed = this.#filled + end - at;
    if (needed > this.#packet.length) {
      const grown = Buffer.alloc(Math.min(this.#size, Math.max(needed, 2 * this.#packet.length)));
      grown.set(this.#packet.subarray(0, this.#filled));
      this.#packet = grown;
    }
    this.#packet.set(piece.subarray(at, end), this.#filled);
    this.#filled = needed;
    this.#deliver();
    return end;
  }

  #deliver(): void {
    if (this.#filled < this.#size) return;
    const packet = this.#packet;
    this.#size = 0;
    this.#packet = Buffer.alloc(0);
    if (!this.push(packet)) this.#socket.pause();
  }
}

/** Undefined while the length is not complete. Throws for what no broker may send. */
function bodyLength([first = 0, ...digits]: readonly number[]): number | undefined {
  const type = first >> 4;
  const least = LEAST_BODY[type];
  const qos = type === PUBLISH ? (first >> 1) & 3 : 0;
  const hasFlags = type !== PUBLISH && (first & 0x0f) !== 0;
  if (least === undefined || qos > 1 || hasFlags) throw wrong();
  if ((digits.at(-1) ?? 0x80) >= 0x80) {
    if (digits.length === 4) throw wrong();
    return undefined;
  }
  const length = digits.reduceRight((sum, digit) => sum * 128 + (digit & 0x7f), 0);
  if (length > MAX_BODY_BYTES) throw new ConnectionError("answer", `a message is longer than ${MAX_BODY_BYTES} bytes`);
  // An id is part of a message that is to be acknowledged.
  if (length < least + 2 * qos) throw wrong();
  return length;
}

export function wrong(): ConnectionError {
  return new ConnectionError("answer", "the broker does not speak MQTT 3.1.1");
}
