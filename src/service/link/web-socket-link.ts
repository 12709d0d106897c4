// A WebSocket as a connection of a link, for both sides. The type lists only what is used of it, so this layer needs no
// library.
import { MAX_FRAME_BYTES } from "#core/link/frames.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

interface Socket {
  /** Bytes that the system has not taken. */
  readonly bufferedAmount: number;
  send(data: Uint8Array, sent: (error?: Error | null) => void): void;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "message", listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "ping" | "pong", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: (code: number, reason: Uint8Array) => void): unknown;
}

export const LINK_SOCKET_SETTINGS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  closeTimeout: 1_000,
} as const;

const HEARTBEAT_MS = 15_000;
/**
 * After so many of our signs of life without one of theirs the other side is gone. If it has taken nothing of what waits
 * for it in that time, it does not read.
 */
const MAX_MISSED = 3;
/** More than waits for a side that reads: frames are sent one after the other. */
const MAX_BUFFERED = 4 * MAX_FRAME_BYTES;
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
  /** Frames that wait for the system to take them. */
  let leaving = 0;
  let hasMoved = false;
  /** Signs of life in a row at which frames waited and none had been taken since the former one. */
  let stuck = 0;
  /** Why this side has given the connection up. */
  let failure: Error | undefined;
  const beat = setInterval(() => {
    const isSlow = stuck > 0 && hasMoved;
    stuck = leaving === 0 ? 0 : hasMoved ? 1 : stuck + 1;
    hasMoved = false;
    // While nothing is read, silence means nothing. Over a slow line a sign of life waits behind frames.
    missed = isPaused || isSlow ? 0 : missed + 1;
    if (stuck > MAX_MISSED) giveUp("the other side has taken nothing of what waits for it for a minute");
    else if (missed > MAX_MISSED) socket.terminate();
    else socket.ping();
  }, HEARTBEAT_MS);

  /** A reason cannot be sent to a side that does not read. */
  function giveUp(reason: string): void {
    failure ??= new Error(reason);
    socket.terminate();
  }

  socket.on("ping", () => {
    if (socket.bufferedAmount > MAX_BUFFERED) giveUp("the other side asks for answers that it does not read");
  });
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
      } else if (hasEnded) {
        if (failure !== undefined) throw failure;
        return;
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
        wake = undefined;
      }
    }
  }

  return {
    frames: frames(),
    send: (frame) =>
      new Promise((resolve, reject) => {
        if (hasEnded) return reject(failure ?? new Error("the connection has ended"));
        leaving++;
        socket.send(frame, (error) => {
          leaving--;
          hasMoved = true;
          if (error) reject(failure ?? error);
          else resolve();
        });
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
