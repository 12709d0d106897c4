// How a stopping server ends the connections that it keeps for further requests. Linux resets a connection that is closed
// while a request on it has not been read. So the server sends its end, and the client closes: it knows that what it sent
// meanwhile was not begun.
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Time for a client to close the connection itself. */
const LINGER_MS = 1_000;

/** Node finds out which connections wait for a request, and names them only by closing them. */
export function endIdle(server: Pick<Server, "closeIdleConnections">, streams: readonly Socket[]): void {
  for (const stream of streams) {
    stream.destroy = () => {
      Reflect.deleteProperty(stream, "destroy");
      endPolitely(stream);
      return stream;
    };
  }
  server.closeIdleConnections();
  for (const stream of streams) Reflect.deleteProperty(stream, "destroy");
}

export function endPolitely(stream: Socket): void {
  if (stream.writableEnded) return;
  const late = setTimeout(() => stream.destroy(), LINGER_MS);
  stream.once("close", () => clearTimeout(late));
  stream.end();
}
