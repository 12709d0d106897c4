// One end of a link that sends what no honest side would, as a gateway or as a cloud. It knows frames and numbers of
// messages, and nothing else of the protocol.
import { deflateRawSync } from "node:zlib";
import { WebSocket } from "ws";
import { createFrameReader, toFrames } from "#core/link/frames.ts";
import { createMessageNumbers, NUMBER_BYTES } from "#core/link/message-numbers.ts";

/** The byte that a message begins with. */
const PACKED = 1;
const BUFFERED_BYTES = 1024 * 1024;

export interface RawLink {
  /** Resolves when the system has taken it, or at once when the connection has ended. */
  send(message: Uint8Array): Promise<void>;
  /** Resolves with the first message of the other side, or when the connection has ended. */
  readonly heard: Promise<void>;
  readonly ended: Promise<void>;
  isOpen(): boolean;
  close(): void;
}

/** A message of this JSON, packed. */
export function packedJson(json: string): Uint8Array {
  return Buffer.concat([Buffer.of(PACKED), deflateRawSync(json, { level: 1 })]);
}

export function rawLink(socket: WebSocket): RawLink {
  const numbers = createMessageNumbers(Math.random() * 2 ** 32);
  const [heard, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const join = createFrameReader();
  socket.on("message", (data: Buffer) => {
    const message = join(data);
    if (message === undefined) return;
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
    numbers.isNew(bytes.readUInt32LE());
    heard.resolve();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended.resolve();
    heard.resolve();
  });
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  return {
    async send(message) {
      if (!isOpen()) return;
      const start = Buffer.alloc(NUMBER_BYTES);
      start.writeUInt32LE(numbers.next());
      for (const frame of toFrames(Buffer.concat([start, message]))) {
        if (!isOpen()) return;
        socket.send(frame);
        while (isOpen() && socket.bufferedAmount > BUFFERED_BYTES)
          await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
    heard: heard.promise,
    ended: ended.promise,
    isOpen,
    close: () => socket.terminate(),
  };
}
