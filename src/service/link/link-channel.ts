// Messages over a socket: JSON, packed when that saves something, in frames. A message may carry bytes, which travel as
// they are. The messages that come with every few points have a form without JSON: kind, number, bytes.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ByteReader } from "#core/bytes/byte-reader.ts";
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { createFrameReader, toFrames } from "#core/link/frames.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { createMessageNumbers, NUMBER_BYTES } from "#core/link/message-numbers.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

export interface LinkChannel<Sent, Received> {
  /** Messages leave in the order of the calls. Resolves when the system has taken the message. `content` travels as bytes. */
  send(message: Sent): Promise<void>;
  /** Throws a LinkMistake for what cannot be read. */
  readonly messages: AsyncIterable<Received>;
  close(reason: string): void;
}

/** A command and its end travel as they are: packing them would take longer than sending them. */
const PACK_FROM_BYTES = 2_048;
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const [PLAIN, PACKED, WITH_CONTENT, SHORT] = [0, 1, 2, 3];
/** The first has the kind SHORT, and the next ones follow. */
const SHORT_TYPES = ["packed", "packed_stored"];
const MAX_HEADER_BYTES = 64 * 1024;

type Parse<Received> = (value: unknown, content?: Uint8Array) => Received;

/** `nonce`: a random number below 2^32, another one for each connection. */
export function createLinkChannel<Sent extends object, Received>(
  socket: LinkSocket,
  parse: Parse<Received>,
  nonce: number,
): LinkChannel<Sent, Received> {
  const numbers = createMessageNumbers(nonce);
  let last: Promise<void> = Promise.resolve();

  async function* read(): AsyncIterable<Received> {
    const join = createFrameReader();
    for await (const frame of socket.frames) {
      const message = join(frame);
      if (message === undefined) continue;
      const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
      if (bytes.length <= NUMBER_BYTES) throw new LinkMistake("a message is too short");
      if (numbers.isNew(bytes.readUInt32LE())) yield parse(...unpack(bytes.subarray(NUMBER_BYTES)));
    }
  }

  return {
    send(message) {
      const parts = render(message);
      const sending = last.then(async () => {
        const start = Buffer.alloc(NUMBER_BYTES);
        start.writeUInt32LE(numbers.next());
        for (const frame of toFrames(Buffer.concat([start, ...parts]))) await socket.send(frame);
      });
      last = sending.catch(() => {});
      return sending;
    },
    messages: read(),
    close: (reason) => socket.close(reason),
  };
}

function render(message: object): readonly Uint8Array[] {
  const short = renderShort(message);
  if (short !== undefined) return short;
  if (!("content" in message) || !(message.content instanceof Uint8Array)) return pack(JSON.stringify(message));
  const { content, ...rest } = message;
  const header = Buffer.from(JSON.stringify(rest));
  const start = Buffer.alloc(5);
  start.writeUInt8(WITH_CONTENT);
  start.writeUInt32LE(header.length, 1);
  return [start, header, content];
}

function renderShort(message: { type?: unknown; number?: unknown; content?: unknown }): Uint8Array[] | undefined {
  const place = SHORT_TYPES.indexOf(String(message.type));
  if (place < 0) return undefined;
  const writer = new ByteWriter(10);
  writer.byte(SHORT + place);
  writer.unsigned(Number(message.number));
  return message.content instanceof Uint8Array ? [writer.bytes(), message.content] : [writer.bytes()];
}

function pack(json: string): readonly Uint8Array[] {
  const plain = Buffer.from(json);
  const isLarge = plain.length >= PACK_FROM_BYTES;
  const body = isLarge ? deflateRawSync(plain, { level: 1 }) : plain;
  return [Buffer.of(isLarge ? PACKED : PLAIN), body];
}

function unpack(message: Uint8Array): [value: unknown, content?: Uint8Array] {
  const body = Buffer.from(message.buffer, message.byteOffset + 1, message.length - 1);
  const [kind = PLAIN] = message;
  try {
    const type = SHORT_TYPES[kind - SHORT];
    if (type !== undefined) {
      const reader = new ByteReader(body, "message");
      return [{ type, number: reader.unsigned() }, reader.take(reader.left)];
    }
    if (kind === WITH_CONTENT) {
      const end = 4 + Math.min(body.readUInt32LE(), MAX_HEADER_BYTES);
      // The content is on its own, so that it can be handed to a thread.
      return [JSON.parse(body.toString("utf8", 4, end)), Uint8Array.from(body.subarray(end))];
    }
    const json = kind === PACKED ? inflateRawSync(body, { maxOutputLength: MAX_UNPACKED_BYTES }) : body;
    return [JSON.parse(json.toString())];
  } catch (error) {
    throw new LinkMistake("a message cannot be read", { cause: error });
  }
}
