// A WebSocket as a connection of a link, for both sides. The type lists only what is used of it, so this layer needs no
// library.
import { MAX_FRAME_BYTES } from "#core/link/frames.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

interface Socket {
  readonly bufferedAmount: number;
  send(data: Uint8Array, sent: (error?: Error | null) => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "message", listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "pong", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: (code: number, reason: Uint8Array) => void): unknown;
}

export const LINK_SOCKET_SETTINGS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  closeTimeout: 1_000,
} as const;

const HEARTBEAT_MS = 15_000;
/** After so many of our signs of life without one of theirs the other side is gone. */
const MAX_MISSED = 3;
/** Frames that were read and not yet taken. */
const MAX_WAITING = 4;
const GOING_AWAY = 1001;
/** A close frame has room for so many bytes of a reason. */
const MAX_REASON = 120;

export function webSocketLink(socket: Socket): LinkSocket {
  const waiting: Uint8Array[] = [];
  let wake: (() => void) | undefined;
  let hasEnded = false;
  let isPaused = false;
  let isClosing = false;
  let missed = 0;
  let closedFor: string | undefined;
  const beat = setInterval(() => {
    // While nothing is read, silence means nothing.
    missed = isPaused ? 0 : missed + 1;
    if (missed > MAX_MISSED) socket.terminate();
    else socket.ping();
  }, HEARTBEAT_MS);
  socket.on("pong", () => (missed = 0));
  socket.on("error", () => socket.terminate());
  socket.on("close", (_code, reason) => {
    hasEnded = true;
    // The answer to a close of ours repeats our reason.
    if (!isClosing && reason.length > 0) closedFor = Buffer.from(reason).toString();
    clearInterval(beat);
    wake?.();
  });
  socket.on("message", (data, isBinary) => {
    missed = 0;
    if (!isBinary || !(data instanceof Uint8Array)) return socket.terminate();
    waiting.push(data);
    if (waiting.length >= MAX_WAITING && !isPaused) {
      isPaused = true;
      socket.pause();
    }
    wake?.();
  });

  async function* frames(): AsyncIterable<Uint8Array> {
    for (;;) {
      const frame = waiting.shift();
      if (frame !== undefined) {
        if (isPaused && waiting.length < MAX_WAITING) {
          isPaused = false;
          socket.resume();
        }
        yield frame;
      } else if (hasEnded) return;
      else {
        await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      }
    }
  }

  return {
    frames: frames(),
    send: (frame) =>
      new Promise((resolve, reject) => {
        if (hasEnded) return reject(new Error("the connection has ended"));
        socket.send(frame, (error) => (error ? reject(error) : resolve()));
      }),
    reason: () => closedFor,
    close(reason) {
      if (isClosing) return;
      isClosing = true;
      socket.resume();
      socket.close(
        GOING_AWAY,
        Buffer.from(reason)
          .subarray(0, MAX_REASON)
          .toString()
          .replace(/\uFFFD$/, ""),
      );
    },
  };
}
