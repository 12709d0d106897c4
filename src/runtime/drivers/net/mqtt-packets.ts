// Packets of MQTT 3.1.1, as far as a client needs them that asks for at most QoS 1.
import { ConnectionError } from "#runtime/drivers/peer-connections.ts";

export type ReceivedPacket =
  | { readonly type: "connack"; readonly code: number }
  | { readonly type: "publish"; readonly topic: string; readonly payload: Buffer; readonly id: number | undefined }
  /** An acknowledgement; `codes` are those of a subscription. */
  | { readonly type: "ack"; readonly id: number; readonly codes: readonly number[] }
  | { readonly type: "pingresp" };

interface ConnectOptions {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly keepaliveS: number;
}

interface OutgoingMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  /** With one the broker acknowledges it (QoS 1). */
  readonly id: number | undefined;
}

const CONNECT = 1;
const CONNACK = 2;
const PUBLISH = 3;
const PUBACK = 4;
const SUBSCRIBE = 8;
const SUBACK = 9;
const UNSUBSCRIBE = 10;
const UNSUBACK = 11;
const PINGREQ = 12;
const PINGRESP = 13;
const DISCONNECT = 14;
/** Of the fixed header of SUBSCRIBE and UNSUBSCRIBE. */
const RESERVED_FLAGS = 2;
const PROTOCOL_LEVEL = 4;
const MAX_PACKET_BYTES = 1024 * 1024;

export const pingPacket = packet(PINGREQ << 4);
export const disconnectPacket = packet(DISCONNECT << 4);

export function connectPacket({ clientId, username, password, keepaliveS }: ConnectOptions): Buffer {
  const cleanSession = 2;
  const flags = cleanSession | (username === undefined ? 0 : 0x80) | (password === undefined ? 0 : 0x40);
  return packet(
    CONNECT << 4,
    text("MQTT"),
    Buffer.of(PROTOCOL_LEVEL, flags),
    word(keepaliveS),
    text(clientId),
    ...[username, password].flatMap((part) => (part === undefined ? [] : [text(part)])),
  );
}

export function publishPacket({ topic, payload, retain, id }: OutgoingMessage): Buffer {
  const flags = (id === undefined ? 0 : 2) | (retain ? 1 : 0);
  return packet((PUBLISH << 4) | flags, text(topic), ...(id === undefined ? [] : [word(id)]), payload);
}

export function subscribePacket(id: number, filter: string, qos: 0 | 1): Buffer {
  return packet((SUBSCRIBE << 4) | RESERVED_FLAGS, word(id), text(filter), Buffer.of(qos));
}

export function unsubscribePacket(id: number, filter: string): Buffer {
  return packet((UNSUBSCRIBE << 4) | RESERVED_FLAGS, word(id), text(filter));
}

export function pubackPacket(id: number): Buffer {
  return packet(PUBACK << 4, word(id));
}

/** Puts packets together from pieces. Throws `ConnectionError` for what no broker may send. */
export class PacketReader {
  #received: Buffer = Buffer.alloc(0);

  *take(piece: Buffer): Generator<ReceivedPacket> {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    for (;;) {
      const [first] = this.#received;
      if (first !== undefined && first >> 4 !== PUBLISH && (first & 0x0f) !== 0) throw wrong();
      const header = readLength(this.#received);
      if (header === undefined) return;
      const end = header.start + header.length;
      if (end > MAX_PACKET_BYTES)
        throw new ConnectionError("answer", `a message is longer than ${MAX_PACKET_BYTES} bytes`);
      if (this.#received.length < end) return;
      const packet = parsePacket(this.#received[0] ?? 0, this.#received.subarray(header.start, end));
      this.#received = this.#received.subarray(end);
      yield packet;
    }
  }
}

function parsePacket(first: number, body: Buffer): ReceivedPacket {
  switch (first >> 4) {
    case CONNACK:
      return { type: "connack", code: byteAt(body, 1) };
    case PUBLISH:
      return parsePublish(first, body);
    case PUBACK:
    case UNSUBACK:
      return { type: "ack", id: wordAt(body, 0), codes: [] };
    case SUBACK:
      return { type: "ack", id: wordAt(body, 0), codes: [...body.subarray(2)] };
    case PINGRESP:
      return { type: "pingresp" };
    default:
      throw wrong();
  }
}

function parsePublish(first: number, body: Buffer): ReceivedPacket {
  const qos = (first >> 1) & 3;
  if (qos > 1) throw wrong();
  const end = 2 + wordAt(body, 0);
  const start = qos === 0 ? end : end + 2;
  if (start > body.length) throw wrong();
  const id = qos === 0 ? undefined : wordAt(body, end);
  return { type: "publish", topic: body.toString("utf8", 2, end), payload: Buffer.from(body.subarray(start)), id };
}

/** The length of the rest, in one to four bytes of seven bits; undefined: not all of them are there. */
function readLength(bytes: Buffer): { readonly start: number; readonly length: number } | undefined {
  let length = 0;
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if (byte < 0x80) return { start: at + 1, length };
  }
  throw wrong();
}

function packet(first: number, ...parts: readonly Uint8Array[]): Buffer {
  let rest = parts.reduce((sum, part) => sum + part.length, 0);
  const length: number[] = [];
  do {
    length.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.of(first, ...length), ...parts]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  return Buffer.concat([word(bytes.length), bytes]);
}

function word(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

function byteAt(body: Buffer, at: number): number {
  const byte = body[at];
  if (byte === undefined) throw wrong();
  return byte;
}

function wordAt(body: Buffer, at: number): number {
  return (byteAt(body, at) << 8) | byteAt(body, at + 1);
}

function wrong(): ConnectionError {
  return new ConnectionError("answer", "the broker does not speak MQTT 3.1.1");
}
