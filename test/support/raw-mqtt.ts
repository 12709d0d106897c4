// MQTT by hand, for what no client library would send.
import { connect, type Socket } from "node:net";

export interface ConnectOptions {
  readonly username?: string;
  readonly password?: string;
  readonly clientId?: string;
  readonly level?: number;
  readonly keepalive?: number;
  readonly clean?: boolean;
  readonly will?: {
    readonly topic: string;
    readonly payload: string;
    readonly qos?: number;
    readonly retain?: boolean;
  };
}

export function connectPacket(options: ConnectOptions = {}): Buffer {
  const { username, password, clientId = "", level = 4, keepalive = 60, clean = true, will } = options;
  const flags =
    (username === undefined ? 0 : 0x80) |
    (password === undefined ? 0 : 0x40) |
    (will === undefined ? 0 : 0x04 | ((will.qos ?? 0) << 3) | (will.retain ? 0x20 : 0)) |
    (clean ? 0x02 : 0);
  return packet(0x10, [
    text("MQTT"),
    Buffer.from([level, flags, keepalive >> 8, keepalive & 0xff]),
    ...(level === 5 ? [Buffer.from([0])] : []),
    text(clientId),
    ...(will === undefined ? [] : [text(will.topic), text(will.payload)]),
    ...(username === undefined ? [] : [text(username)]),
    ...(password === undefined ? [] : [text(password)]),
  ]);
}

export interface PublishOptions {
  readonly qos?: number;
  readonly id?: number;
  readonly retain?: boolean;
  readonly dup?: boolean;
}

export function publishPacket(topic: string, payload: string | Buffer, options: PublishOptions = {}): Buffer {
  const { qos = 0, id = 1, retain = false, dup = false } = options;
  const head = 0x30 | (qos << 1) | (retain ? 1 : 0) | (dup ? 8 : 0);
  return packet(head, [text(topic), ...(qos > 0 ? [uint16(id)] : []), Buffer.from(payload)]);
}

export function subscribePacket(id: number, filters: readonly string[], qos = 1): Buffer {
  return packet(0x82, [uint16(id), ...filters.flatMap((filter) => [text(filter), Buffer.from([qos])])]);
}

export function unsubscribePacket(id: number, filters: readonly string[]): Buffer {
  return packet(0xa2, [uint16(id), ...filters.map(text)]);
}

export const PINGREQ = Buffer.from([0xc0, 0]);
export const DISCONNECT = Buffer.from([0xe0, 0]);
export const pubrelPacket = (id: number): Buffer => packet(0x62, [uint16(id)]);
export const pubackPacket = (id: number): Buffer => packet(0x40, [uint16(id)]);

/** A header of any type with any remaining length, and nothing after it. */
export function headerOnly(first: number, length: number): Buffer {
  return Buffer.from([first, ...lengthBytes(length)]);
}

export interface RawMqtt {
  readonly socket: Socket;
  /** Everything that arrived, as `connack 0`, `puback 7`, `publish <topic> <payload>`. */
  readonly received: readonly string[];
  send(...packets: readonly Buffer[]): void;
  /** Resolves when something that begins with the text has arrived; each is found once. */
  seen(beginning: string): Promise<string>;
  readonly closed: Promise<void>;
  end(): Promise<void>;
}

export async function connectRaw(port: number, first?: Buffer): Promise<RawMqtt> {
  const socket = connect(port, "127.0.0.1");
  const received: string[] = [];
  const unseen: string[] = [];
  const waiting: { beginning: string; resolve: (text: string) => void }[] = [];
  let rest: Buffer = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let next = takePacket(rest); next !== undefined; next = takePacket(rest)) {
      rest = next.rest;
      const shown = next.shown;
      received.push(shown);
      const waiter = waiting.findIndex(({ beginning }) => shown.startsWith(beginning));
      if (waiter >= 0) waiting.splice(waiter, 1)[0]?.resolve(shown);
      else unseen.push(shown);
    }
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const raw: RawMqtt = {
    socket,
    received,
    closed,
    send: (...packets) => void socket.write(Buffer.concat(packets)),
    seen(beginning) {
      const found = unseen.findIndex((one) => one.startsWith(beginning));
      const [one] = found >= 0 ? unseen.splice(found, 1) : [];
      return one === undefined ? new Promise((resolve) => waiting.push({ beginning, resolve })) : Promise.resolve(one);
    },
    async end() {
      socket.destroy();
      await closed;
    },
  };
  if (first !== undefined) raw.send(first);
  return raw;
}

/** Signs in by hand as the n-th device of the test broker. */
export async function signInRaw(port: number, number: number, options: ConnectOptions = {}): Promise<RawMqtt> {
  const raw = await connectRaw(
    port,
    connectPacket({ username: `HW${number}`, password: `secret${number}`, ...options }),
  );
  await raw.seen("connack 0");
  return raw;
}

function takePacket(bytes: Buffer): { readonly shown: string; readonly rest: Buffer } | undefined {
  let length = 0;
  let size = 1;
  for (; ; size += 1) {
    const byte = bytes[size];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** (size - 1);
    if (byte < 0x80) break;
  }
  const start = size + 1;
  if (bytes.length < start + length) return undefined;
  const body = bytes.subarray(start, start + length);
  return { shown: show(bytes[0] ?? 0, body), rest: bytes.subarray(start + length) };
}

function show(first: number, body: Buffer): string {
  const id = () => body.readUInt16BE(0);
  switch (first >> 4) {
    case 2:
      return `connack ${body[1]}`;
    case 3: {
      const topic = body.subarray(2, 2 + id()).toString();
      const qos = (first >> 1) & 3;
      return `publish ${topic} ${body.subarray(2 + id() + (qos > 0 ? 2 : 0)).toString()}`;
    }
    case 4:
      return `puback ${id()}`;
    case 5:
      return `pubrec ${id()}`;
    case 7:
      return `pubcomp ${id()}`;
    case 9:
      return `suback ${id()} ${[...body.subarray(2)].join(",")}`;
    case 11:
      return `unsuback ${id()}`;
    case 13:
      return "pingresp";
    default:
      return `type ${first >> 4}`;
  }
}

function packet(first: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([first, ...lengthBytes(body.length)]), body]);
}

function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  let rest = length;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return bytes;
}

const text = (value: string): Buffer => Buffer.concat([uint16(Buffer.byteLength(value)), Buffer.from(value)]);
const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
