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
import { endIdle, endPolitely } from "#http/end-idle.ts";
import type { TlsDoor } from "#http/tls-door.ts";

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
  /** With TLS: opens the door to which connections go. What it serves comes back over the function. */
  readonly openDoor?: ((serve: (secure: Socket, connection: Socket) => void) => TlsDoor) | undefined;
  readonly loop?: EventLoop;
}

export interface BoundConnections {
  /**
   * Someone has signed in on this connection to stay. It counts for them from now on: those behind one proxy, which have
   * one address, do not take each other's places.
   */
  signedIn(stream: Socket, who: string): void;
  /** Whether a connection has sent no request yet. */
  hasNewcomers(): boolean;
  /** Closes the connections on which nothing is under way. */
  closeIdle(): void;
}

interface Accepted {
  /** The stream that requests come by: over TLS not the connection itself. */
  stream: Socket;
  /** The latest; undefined before the first request. */
  answer: ServerResponse | undefined;
}

/** Takes over the listeners that the server has for connections. */
export function boundConnections(server: Server, needs: ConnectionNeeds, limits: ConnectionLimits): BoundConnections {
  const accepted = new Map<Socket, Accepted>();
  /** The connections of TLS streams. */
  const connections = new WeakMap<Socket, Socket>();
  const connectionOf = (stream: Socket) => (door === undefined ? stream : (connections.get(stream) ?? stream));
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
  function isWaiting(connection: Socket): boolean {
    const { stream, answer } = accepted.get(connection) ?? {};
    return (
      stream === undefined ||
      answer === undefined ||
      answer.writableFinished ||
      !answer.req.complete ||
      stream.writableLength > 0
    );
  }

  const listeners = server.listeners("connection");
  server.removeAllListeners("connection");
  const serve = (stream: Socket) => {
    for (const listener of listeners) Reflect.apply(listener, server, [stream]);
  };
  const door = needs.openDoor?.((secure, connection) => {
    const one = accepted.get(connection);
    if (one === undefined) return void secure.destroy();
    one.stream = secure;
    connections.set(secure, connection);
    serve(secure);
  });
  function begin(connection: Socket): void {
    if (connection.destroyed) return;
    if (door !== undefined) door.begin(connection);
    else {
      serve(connection);
      connection.resume();
    }
  }

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // Nobody else listens before it begins.
    socket.on("error", () => {});
    socket.once("close", () => {
      accepted.delete(socket);
      slots.remove(socket);
    });
    accepted.set(socket, { stream: socket, answer: undefined });
    const excess = slots.add(socket, address);
    const start = excess === socket ? needs.refuseNewcomer : begin;
    if (excess !== socket) excess?.destroy();
    if (turns.hasTime()) start(socket);
    else if (!turns.later(addressBlock(address ?? ""), () => start(socket))) socket.destroy();
  });
  server.on("request", ({ socket }, answer) => {
    const connection = connectionOf(socket);
    const one = accepted.get(connection);
    if (one !== undefined) one.answer = answer;
    slots.touch(connection);
  });
  // A slow server is no stall of the client, and slow requests have limits of their own.
  server.timeout = limits.stallMs;
  server.on("timeout", (socket) => {
    const isIdle = accepted.get(connectionOf(socket))?.answer?.writableFinished === true;
    if (isIdle || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(limits.stallMs);
  });

  return {
    signedIn: (stream, who) => void slots.signedIn(connectionOf(stream), who)?.destroy(),
    hasNewcomers: () => accepted.values().some(({ answer }) => answer === undefined),
    closeIdle() {
      const streams: Socket[] = [];
      for (const [connection, { stream, answer }] of accepted) {
        if (door !== undefined && stream === connection) connection.destroy();
        // Node does not count one as idle before its first request.
        else if (answer === undefined && stream.bytesRead === 0) endPolitely(stream);
        else streams.push(stream);
      }
      endIdle(server, streams);
    },
  };
}
