// Messages over a socket: JSON, packed when that saves something, in frames.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { createFrameReader, toFrames } from "#core/link/frames.ts";
import { LinkMistake } from "#core/link/parse-message.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

export interface LinkChannel<Sent, Received> {
  /** Messages leave in the order of the calls. Resolves when the system has taken the message. */
  send(message: Sent): Promise<void>;
  /** Throws a LinkMistake for what cannot be read. */
  readonly messages: AsyncIterable<Received>;
  close(reason: string): void;
}

const PACK_FROM_BYTES = 1_024;
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
const [PLAIN, PACKED] = [0, 1];

export function createLinkChannel<Sent, Received>(
  socket: LinkSocket,
  parse: (value: unknown) => Received,
): LinkChannel<Sent, Received> {
  let last: Promise<void> = Promise.resolve();
  return {
    send(message) {
      const frames = toFrames(pack(JSON.stringify(message)));
      const sending = last.then(async () => {
        for (const frame of frames) await socket.send(frame);
      });
      last = sending.catch(() => {});
      return sending;
    },
    messages: read(socket.frames, parse),
    close: (reason) => socket.close(reason),
  };
}

async function* read<Received>(
  frames: AsyncIterable<Uint8Array>,
  parse: (value: unknown) => Received,
): AsyncIterable<Received> {
  const join = createFrameReader();
  for await (const frame of frames) {
    const message = join(frame);
    if (message !== undefined) yield parse(unpack(message));
  }
}

function pack(json: string): Uint8Array {
  const plain = Buffer.from(json);
  const isLarge = plain.length >= PACK_FROM_BYTES;
  const body = isLarge ? deflateRawSync(plain, { level: 1 }) : plain;
  return Buffer.concat([Buffer.of(isLarge ? PACKED : PLAIN), body]);
}

function unpack(message: Uint8Array): unknown {
  const body = message.subarray(1);
  try {
    const json = message[0] === PACKED ? inflateRawSync(body, { maxOutputLength: MAX_UNPACKED_BYTES }) : body;
    return JSON.parse(Buffer.from(json).toString());
  } catch (error) {
    throw new LinkMistake("a message is no JSON", { cause: error });
  }
}
