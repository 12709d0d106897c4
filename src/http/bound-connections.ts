// Limits the number of connections, and decides which one is closed when there are too many. A slow client is waited
// for only as long as nobody else needs its place, and never longer than the limits say. New connections begin in turns
// of their addresses: an address that connects without end does not delay the connections of others.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressBlock } from "#core/net/address-block.ts";
import { createConnectionSlots } from "#core/share/connection-slots.ts";
import { createFairTurns, type EventLoop } from "#core/share/fair-turns.ts";
import type { Shares } from "#core/share/shares.ts";
import { EVENT_LOOP } from "#event-loop";

/**
 * Milliseconds of a turn in which connections begin. What a client has sent by then is read right afterwards and costs a
 * multiple: 1 ms for requests that are sent one behind the other. So about five begin in a turn.
 */
const BEGIN = { ms: 0.2, servingMs: 0.1 };

interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** For a client that reads nothing of an answer that waits for it. */
  readonly stallMs: number;
}

interface ConnectionNeeds {
  readonly shares: Pick<Shares, "watch">;
  readonly refuseNewcomer: (socket: Socket) => void;
  readonly loop?: EventLoop;
}

export interface BoundConnections {
  /** Closes connections that were opened ahead of need. Node does not count one as idle before its first request. */
  closeUnused(): void;
}

/** Takes over the listeners that the server has for connections. */
export function boundConnections(server: Server, needs: ConnectionNeeds, limits: ConnectionLimits): BoundConnections {
  /** Each connection that has begun, with its latest answer; undefined before the first request. */
  const answers = new Map<Socket, ServerResponse | undefined>();
  const slots = createConnectionSlots<Socket>({
    total: limits.connections,
    perAddress: limits.connectionsPerAddress,
    isWaiting,
  });
  // All that have a slot may wait.
  const waiting = { waiting: limits.connections, waitingPerKey: limits.connections };
  const turns = needs.shares.watch(
    "new_connections",
    createFairTurns({ ...BEGIN, ...waiting }, needs.loop ?? EVENT_LOOP),
  );

  /** Checked only when it matters, so that a request costs no more than a note of its answer. */
  function isWaiting(socket: Socket): boolean {
    const answer = answers.get(socket);
    return answer === undefined || answer.writableFinished || !answer.req.complete || socket.writableLength > 0;
  }

  const listeners = server.listeners("connection");
  server.removeAllListeners("connection");
  function begin(socket: Socket): void {
    if (socket.destroyed) return;
    answers.set(socket, undefined);
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    socket.resume();
  }

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // Nobody else listens before it begins.
    socket.on("error", () => {});
    socket.once("close", () => {
      answers.delete(socket);
      slots.remove(socket);
    });
    const excess = slots.add(socket, address);
    const start = excess === socket ? needs.refuseNewcomer : begin;
    if (excess !== socket) excess?.destroy();
    if (turns.hasTime()) start(socket);
    else if (!turns.later(addressBlock(address ?? ""), () => start(socket))) socket.destroy();
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
