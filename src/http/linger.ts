// An answer that is sent before the whole body has arrived, such as a 413. Closing the connection at once would reset
// it: a client that writes its whole body before it reads would then never see the answer. So the rest of the body is
// read and dropped before the connection closes, within limits.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { addressBlock } from "#core/net/address-block.ts";
import type { BodyPacer } from "#http/pace-bodies.ts";
import { freeBytes } from "#tuning/free-bytes.ts";

export interface LingerLimits {
  /** From the answer on, in all and without any byte, in milliseconds. */
  readonly ms: number;
  readonly silentMs: number;
  /** How much of the body is read and dropped. */
  readonly bytes: number;
}

const LINGER: LingerLimits = { ms: 30_000, silentMs: 2_000, bytes: 256 * 1024 * 1024 };
const CHECK_MS = 100;

/** The request that a connection answers before it has read it. */
const unread = new WeakMap<Socket, IncomingMessage>();

/** Called before the answer is written. Does nothing if the body has arrived, or if the connection stays open. */
export function lingerAfter(request: IncomingMessage, pacer: BodyPacer, limits = LINGER): void {
  // A body that was read as it came may have let go of its connection.
  const socket: Socket | null = request.socket;
  if (request.complete || socket === null || socket.destroyed) return;
  // Begun before the answer: after it, Node would read the rest by itself, without turns, and leave its memory to V8.
  const rest = pacer.pace(request, addressBlock(socket.remoteAddress ?? ""));
  rest.on("data", freeBytes).on("error", ignore);
  const isWatched = unread.has(socket);
  unread.set(socket, request);
  if (isWatched) return;
  const close = socket.destroySoon.bind(socket);
  // Node calls this when the last answer of a connection has been written.
  socket.destroySoon = () => {
    const last = unread.get(socket);
    if (last === undefined || last.complete || socket.destroyed) close();
    else awaitEnd(last, close, limits);
  };
}

/** Of a client that leaves in the middle. */
function ignore(): void {}

function awaitEnd(request: IncomingMessage, close: () => void, limits: LingerLimits): void {
  const { socket } = request;
  const first = socket.bytesRead;
  let [seen, checks, silent] = [first, 0, 0];
  // The client learns that no more answers come, and may stop.
  socket.end();
  request.once("end", close);
  const check = setInterval(() => {
    checks += CHECK_MS;
    silent = socket.bytesRead === seen ? silent + CHECK_MS : 0;
    seen = socket.bytesRead;
    if (checks >= limits.ms || silent >= limits.silentMs || seen - first > limits.bytes) socket.destroy();
  }, CHECK_MS);
  socket.once("close", () => clearInterval(check));
}
