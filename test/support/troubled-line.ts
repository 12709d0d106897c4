// A TCP line on 127.0.0.1 with everything that happens to lines: it is cut, slow, breaks in the middle of a message, and
// sends again what was sent before. Connections lead to the targets in turn.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TroubledLine {
  readonly url: string;
  /** Ends all connections and lets no new ones through. */
  cut(): void;
  /** Every piece takes this much longer, in both directions. */
  delay(ms: number): void;
  /** Of the next piece half arrives, and then the connection ends. */
  halve(): void;
  /** Opens a connection of its own, and sends on it what was sent on the latest one that has ended. */
  replay(): void;
  heal(): void;
  close(): void;
}

const MAX_RECORDED_BYTES = 4 * 1024 * 1024;

export async function openTroubledLine(targets: () => readonly string[]): Promise<TroubledLine> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let delayMs = 0;
  let halves = 0;
  let connections = 0;
  let ended: readonly Buffer[] = [];

  function target(): URL | undefined {
    const all = targets();
    const one = all[connections++ % Math.max(1, all.length)];
    return one === undefined ? undefined : new URL(one);
  }

  function watch(socket: Socket, onEnd: () => void): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      onEnd();
    });
  }

  function carry(from: Socket, to: Socket): void {
    let due = 0;
    from.on("data", (piece) => {
      const isHalved = halves > 0;
      if (isHalved) halves--;
      const rest = isHalved ? piece.subarray(0, Math.floor(piece.length / 2)) : piece;
      const send = () => {
        if (to.destroyed) return;
        to.write(rest);
        if (isHalved) to.destroySoon();
      };
      // In order, also when the delay ends.
      due = Math.max(due, performance.now() + delayMs);
      const wait = due - performance.now();
      if (wait < 1) send();
      else setTimeout(send, wait);
    });
  }

  const server = createServer((near) => {
    const place = isCut ? undefined : target();
    if (place === undefined) return void near.destroy();
    const far = connect(Number(place.port), place.hostname);
    const recorded: Buffer[] = [];
    let bytes = 0;
    near.on("data", (piece) => {
      bytes += piece.length;
      if (bytes <= MAX_RECORDED_BYTES) recorded.push(piece);
    });
    watch(near, () => {
      ended = recorded;
      far.destroy();
    });
    watch(far, () => near.destroy());
    carry(near, far);
    carry(far, near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    delay(ms) {
      delayMs = ms;
    },
    halve() {
      halves++;
    },
    replay() {
      const place = target();
      if (place === undefined || ended.length === 0) return;
      const far = connect(Number(place.port), place.hostname);
      watch(far, () => {});
      far.resume();
      for (const piece of ended) far.write(piece);
    },
    heal() {
      isCut = false;
      delayMs = 0;
      halves = 0;
    },
    close() {
      cut();
      server.close();
    },
  };
}
