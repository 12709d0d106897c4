// Node accepts one connection of a listening socket in a turn of the event loop. While turns take milliseconds, whoever
// connects waits behind the connections of others for as many turns. With several sockets on the same port, a turn
// accepts several connections. Gain: behind 1,000 connections of another address, a newcomer is answered after 69 ms of
// processor time with 64 sockets, and after 144 ms with 8. Linux spreads connections over the sockets of a port; elsewhere there is
// one socket.
import { createServer, Server } from "node:net";

const SOCKETS = 64;
/** Of each socket: about 4,000 connections may wait to be accepted. */
const BACKLOG = 64;
/** A turn in which so little happened that hardly anybody can have come since its sockets were looked at. */
const SHORT_TURN_MS = 0.5;
const QUIET_MS = 1_000;

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
  /**
   * Accepts who waits to be accepted, and closes the port. Resolves when nobody can connect any more. Connections go on.
   * `elapsed` gives milliseconds on a monotonic clock.
   */
  close(elapsed: () => number): Promise<void>;
  /** Resolves when the port is closed and its connections have ended. */
  readonly ended: Promise<void>;
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
  if (process.platform !== "linux") return openPort(await open({ ...place, reusePort: false }), [server]);
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
  return openPort(port, [...others, server]);
}

function openPort(port: number, servers: readonly Server[]): OpenPort {
  const ends = servers.map((server) => new Promise<void>((resolve) => server.once("close", resolve)));
  const ended = Promise.all(ends).then(() => {});
  return { port, close: (elapsed) => closeWhenQuiet(servers, elapsed), ended };
}

/**
 * Linux resets the connections that wait to be accepted when their socket closes, and their clients cannot know whether they
 * were heard. So each socket closes at the end of a turn in which nobody came to it. If people never stop coming, it closes
 * after a second, when all that came at the beginning have been accepted.
 */
async function closeWhenQuiet(servers: readonly Server[], elapsed: () => number): Promise<void> {
  const open = new Set(servers.filter((server) => server.listening));
  const busy = new Set<Server>();
  for (const server of open) server.on("connection", () => busy.add(server));
  const end = elapsed() + QUIET_MS;
  // The rest of the current turn, in which not all sockets are looked at.
  await nextTurn();
  for (let turn = 1; open.size > 0; turn += 1) {
    busy.clear();
    const start = elapsed();
    await nextTurn();
    const now = elapsed();
    const isLast = now > end && turn > BACKLOG;
    if (now - start > SHORT_TURN_MS && !isLast) continue;
    for (const server of open) {
      if (busy.has(server) && !isLast) continue;
      // Not its own function: a server of HTTP cuts off its idle connections in it.
      Server.prototype.close.call(server);
      open.delete(server);
    }
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function listen(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
