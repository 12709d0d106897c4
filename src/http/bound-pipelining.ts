// How many requests may stand one behind the other on a connection. Node takes all that a client writes without waiting for
// answers, hundreds in one piece, and everybody else waits until each of them has at least begun.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Clients send one at a time; the few that do not stay below this. */
const MAX_UNANSWERED = 16;

/** Closes a connection with more unanswered requests than that. What has listened to requests so far gets the others. */
export function boundPipelining(server: Server): void {
  const listeners = server.listeners("request");
  const unanswered = new WeakMap<Socket, number>();
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count > MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
  });
}
