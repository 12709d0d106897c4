// Limits how many requests may be pipelined on a connection. Node accepts everything that a client writes without
// waiting for answers, hundreds of requests in one piece of 64 KB, and everybody else waits until each of them has at
// least begun. It also knows which requests of a connection are unanswered: whoever answers on a connection without a
// request of Node's waits for them, or a client would take that answer for one of theirs.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Clients send one at a time; the few that pipeline stay below this. */
const MAX_UNANSWERED = 16;

interface Line {
  serving: Serving | undefined;
  readonly waiting: (() => void)[];
}

interface Serving {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Pipelines {
  /** The request that is being answered on this connection. */
  serving(socket: Duplex): Serving | undefined;
  /** Runs when all requests that came before on this connection are answered; never if the connection ends first. */
  afterAnswers(socket: Duplex, run: () => void): void;
}

/**
 * A connection runs one request at a time; the next one begins when that is answered. With more unanswered requests
 * than the limit, the connection is closed. The existing listeners receive the requests in that order.
 */
export function boundPipelining(server: Server): Pipelines {
  const listeners = server.listeners("request");
  const lines = new WeakMap<Duplex, Line>();
  server.removeAllListeners("request");

  function serve(line: Line, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    line.serving = { request, response };
    response.on("close", () => {
      line.serving = undefined;
      // A closed connection begins no further requests.
      if (socket.destroyed) line.waiting.length = 0;
      else line.waiting.shift()?.();
    });
    for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
  }

  server.on("request", (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (line === undefined) {
      line = { serving: undefined, waiting: [] };
      lines.set(socket, line);
    }
    const itsLine = line;
    if (itsLine.serving === undefined) serve(itsLine, request, response);
    else if (itsLine.waiting.push(() => serve(itsLine, request, response)) >= MAX_UNANSWERED) {
      socket.destroy();
      stopReading(socket);
    }
  });

  return {
    serving: (socket) => lines.get(socket)?.serving,
    afterAnswers(socket, run) {
      const line = lines.get(socket);
      if (line?.serving === undefined) run();
      else line.waiting.push(run);
    },
  };
}

/**
 * A closed connection alone does not end the reading of a piece: its other requests, some hundred, would still be read, for up
 * to 10 ms. Node's parser stops when its `onIncoming` refuses a request. That is not part of Node's documented interface:
 * where it is missing, the rest of the piece is read.
 */
function stopReading(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  const { parser } = socket;
  if (typeof parser?.onIncoming === "function") parser.onIncoming = () => -1;
}
