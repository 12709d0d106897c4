// MQTT 3.1.1 for a client that uses at most QoS 1. The codec of mqtt-packet writes and reads the packets. This file
// bounds what a broker may send, and refuses what the codec accepts: client packets, QoS 2, and packets that end too
// early.
import { createRequire } from "node:module";
import type * as MqttPacket from "mqtt-packet";
import { ConnectionError } from "#drivers/connection-error.ts";

export type ReceivedPacket =
  | { readonly type: "connack"; readonly code: number }
  | { readonly type: "publish"; readonly topic: string; readonly payload: Buffer; readonly id: number | undefined }
  /** An acknowledgement; `codes` are those of a subscription. */
  | { readonly type: "ack"; readonly id: number; readonly codes: readonly number[] }
  | { readonly type: "pingresp" };

const MAX_PACKET_BYTES = 1024 * 1024;
const VERSION = { protocolVersion: 4 } as const;

let codec: typeof MqttPacket | undefined;

/** Loaded when the first script of a thread opens a client, because it holds up the other scripts there for some 25 ms. */
function loadCodec(): typeof MqttPacket {
  if (codec === undefined) {
    const loaded: typeof MqttPacket = createRequire(import.meta.url)("mqtt-packet");
    // Otherwise the first packet creates a buffer for each 16-bit number, 8 MB per thread.
    loaded.writeToStream.cacheNumbers = false;
    codec = loaded;
  }
  return codec;
}

export function renderPacket(packet: MqttPacket.Packet): Buffer {
  return loadCodec().generate(packet, VERSION);
}

/** Assembles packets from pieces. Throws `ConnectionError` for packets that no broker may send. */
export class PacketReader {
  readonly #parser = loadCodec().parser(VERSION);
  #packets: MqttPacket.Packet[] = [];
  #hasFailed = false;

  constructor() {
    this.#parser.on("packet", (packet) => this.#packets.push(packet));
    this.#parser.on("error", () => {
      this.#hasFailed = true;
    });
  }

  *take(piece: Buffer): Generator<ReceivedPacket> {
    const held = this.#parse(piece);
    const packets = this.#packets;
    this.#packets = [];
    for (const packet of packets) yield parsePacket(packet);
    if (this.#hasFailed) throw wrong();
    if (held > MAX_PACKET_BYTES) throw tooLong();
  }

  /** Returns how many bytes wait for the rest of their packet. */
  #parse(piece: Buffer): number {
    try {
      return this.#parser.parse(piece);
    } catch {
      this.#hasFailed = true;
      return 0;
    }
  }
}

function parsePacket(packet: MqttPacket.Packet): ReceivedPacket {
  const { length } = packet;
  if (length === undefined || length > MAX_PACKET_BYTES) throw tooLong();
  switch (packet.cmd) {
    case "connack":
      if (length < 2 || packet.returnCode === undefined) throw wrong();
      return { type: "connack", code: packet.returnCode };
    case "publish":
      return parsePublish(packet, length);
    case "puback":
    case "unsuback":
      return { type: "ack", id: idOf(packet, length >= 2), codes: [] };
    case "suback":
      return { type: "ack", id: idOf(packet, length >= 3), codes: packet.granted.map(Number) };
    case "pingresp":
      return { type: "pingresp" };
    case "auth":
    case "connect":
    case "disconnect":
    case "pingreq":
    case "pubcomp":
    case "pubrec":
    case "pubrel":
    case "subscribe":
    case "unsubscribe":
      throw wrong();
  }
}

function parsePublish(packet: MqttPacket.IPublishPacket, length: number): ReceivedPacket {
  const { topic, qos } = packet;
  if (qos > 1) throw wrong();
  // Copied: a few bytes of payload must not keep the whole received piece in memory.
  const payload = Buffer.from(packet.payload);
  const id = qos === 0 ? undefined : idOf(packet, payload.length > 0 || length >= 4 + Buffer.byteLength(topic));
  return { type: "publish", topic, payload, id };
}

/** The codec also reads an id beyond the end of its packet, and returns -1 when nothing follows. */
function idOf({ messageId }: MqttPacket.IPacket, isInside: boolean): number {
  if (!isInside || messageId === undefined || messageId < 0) throw wrong();
  return messageId;
}

function tooLong(): ConnectionError {
  return new ConnectionError("answer", `a message is longer than ${MAX_PACKET_BYTES} bytes`);
}

function wrong(): ConnectionError {
  return new ConnectionError("answer", "the broker does not speak MQTT 3.1.1");
}
