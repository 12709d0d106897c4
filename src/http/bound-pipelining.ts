// Limits how many requests may be pipelined on a connection. Node accepts everything that a client writes without
// waiting for answers, hundreds of requests in one piece of 64 KB, and everybody else waits until each of them has at
// least begun.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Clients send one at a time; the few that pipeline stay below this. */
const MAX_UNANSWERED = 16;

interface Line {
  isServing: boolean;
  readonly waiting: (() => void)[];
}

/**
 * A connection runs one request at a time; the next one begins when that is answered. With more unanswered requests
 * than the limit, the connection is closed. The existing listeners receive the requests in that order.
 */
export function boundPipelining(server: Server): void {
  const listeners = server.listeners("request");
  const lines = new WeakMap<Socket, Line>();
  server.removeAllListeners("request");

  function serve(line: Line, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    line.isServing = true;
    response.on("close", () => {
      line.isServing = false;
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
      line = { isServing: false, waiting: [] };
      lines.set(socket, line);
    }
    const itsLine = line;
    if (!itsLine.isServing) serve(itsLine, request, response);
    else if (itsLine.waiting.push(() => serve(itsLine, request, response)) >= MAX_UNANSWERED) {
      socket.destroy();
      stopReading(socket);
    }
  });
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
