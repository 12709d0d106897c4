// Limits the number of connections, and decides which one is closed when there are too many. A slow client is waited
// for only as long as nobody else needs its place, and never longer than the limits say.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createConnectionSlots } from "#core/share/connection-slots.ts";

interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** For a client that reads nothing of an answer that waits for it. */
  readonly stallMs: number;
}

export interface BoundConnections {
  /** Closes connections that were opened ahead of need. Node does not count one as idle before its first request. */
  closeUnused(): void;
}

export function boundConnections(
  server: Server,
  limits: ConnectionLimits,
  refuseNewcomer: (socket: Socket) => void,
): BoundConnections {
  /** Each connection with its latest answer; undefined before the first request. */
  const answers = new Map<Socket, ServerResponse | undefined>();
  const slots = createConnectionSlots<Socket>({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    isWaiting,
  });

  /** Checked only when it matters, so that a request costs no more than a note of its answer. */
  function isWaiting(socket: Socket): boolean {
    const answer = answers.get(socket);
    return answer === undefined || answer.writableFinished || !answer.req.complete || socket.writableLength > 0;
  }

  server.on("connection", (socket: Socket) => {
    answers.set(socket, undefined);
    socket.once("close", () => {
      answers.delete(socket);
      slots.remove(socket);
    });
    const excess = slots.add(socket, socket.remoteAddress);
    if (excess === socket) refuseNewcomer(socket);
    else excess?.destroy();
  });
  server.on("request", ({ socket }, answer) => {
    answers.set(socket, answer);
    slots.touch(socket);
  });
  // A slow server is no stall of the client, and slow requests have limits of their own.
  server.timeout = limits.stallMs;
  server.on("timeout", (socket) => {
    const isIdle = answers.get(socket)?.writableFinished === true;
    if (isIdle || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limits.stallMs);
  });

  return {
    closeUnused() {
      for (const [socket, answer] of answers) if (answer === undefined && socket.bytesRead === 0) socket.destroy();
    },
  };
}
