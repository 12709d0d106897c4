// Messages over a socket: JSON, packed when that saves something, in frames. A message may carry bytes, which travel as
// they are. The messages that come with every few points have a form without JSON: kind, number, bytes.
import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { createFrameReader, toFrames } from "#core/link/frames.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { createMessageNumbers, NUMBER_BYTES } from "#core/link/message-numbers.ts";
import type { LinkIntake } from "#service/link/link-intake.ts";
import {
  PACKED,
  type Parse,
  PLAIN,
  readLinkMessage,
  SHORT,
  SHORT_TYPES,
  WITH_CONTENT,
} from "#service/link/read-link-message.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

export interface LinkChannel<Sent, Received> {
  /** Messages leave in the order of the calls. Resolves when the system has taken the message. `content` travels as bytes. */
  send(message: Sent): Promise<void>;
  /** Throws a LinkMistake for what cannot be read. */
  readonly messages: AsyncIterable<Received>;
  /** Resolves when this connection may use the main thread for the next piece of the work that a message makes. */
  turn: LinkIntake["turn"];
  close(reason: string): void;
}

/** A command and its end travel as they are: packing them would take longer than sending them. */
const PACK_FROM_BYTES = 2_048;

export function createLinkChannel<Sent extends object, Received>(
  socket: LinkSocket,
  {
    parse,
    nonce,
    intake,
  }: {
    readonly parse: Parse<Received>;
    /** A random number below 2^32, another one for each connection. */
    readonly nonce: number;
    readonly intake: LinkIntake;
  },
): LinkChannel<Sent, Received> {
  const numbers = createMessageNumbers(nonce);
  let last: Promise<void> = Promise.resolve();

  async function* read(): AsyncIterable<Received> {
    const join = createFrameReader();
    let held = 0;
    try {
      for await (const frame of socket.frames) {
        held += frame.length;
        intake.hold(held);
        const message = join(frame);
        if (message === undefined) continue;
        const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
        if (bytes.length <= NUMBER_BYTES) throw new LinkMistake("a message is too short");
        if (numbers.isNew(bytes.readUInt32LE()))
          yield await readLinkMessage(intake, bytes.subarray(NUMBER_BYTES), parse);
        held = 0;
        intake.hold(held);
      }
    } finally {
      intake.end();
    }
  }

  return {
    send(message) {
      const parts = render(message);
      const sending = last.then(async () => {
        const start = Buffer.alloc(NUMBER_BYTES);
        start.writeUInt32LE(numbers.next());
        const body = Array.isArray(parts) ? parts : await pack(parts, intake);
        for (const frame of toFrames(Buffer.concat([start, ...body]))) await socket.send(frame);
      });
      last = sending.catch(() => {});
      return sending;
    },
    messages: read(),
    turn: intake.turn,
    close: (reason) => socket.close(reason),
  };
}

/** Its parts, or its JSON. */
function render(message: object): Uint8Array[] | Buffer {
  const short = renderShort(message);
  if (short !== undefined) return short;
  if (!("content" in message) || !(message.content instanceof Uint8Array)) return Buffer.from(JSON.stringify(message));
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

async function pack(json: Buffer, intake: Pick<LinkIntake, "pack">): Promise<readonly Uint8Array[]> {
  const isLarge = json.length >= PACK_FROM_BYTES;
  return [Buffer.of(isLarge ? PACKED : PLAIN), isLarge ? await intake.pack(json) : json];
}
