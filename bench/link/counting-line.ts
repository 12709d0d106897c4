// A TCP line on 127.0.0.1 that counts what it carries, and can be cut.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface CountingLine {
  readonly url: string;
  /** Bytes so far: from whoever connects, and back. */
  readonly bytes: { readonly up: number; readonly down: number };
  cut(): void;
  heal(): void;
  close(): void;
}

export async function openCountingLine(target: string): Promise<CountingLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  let isCut = false;
  const carry = (from: Socket, to: Socket, direction: "up" | "down") => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (part) => (bytes[direction] += part.length));
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    carry(near, far, "up");
    carry(far, near, "down");
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
    bytes,
    cut,
    heal: () => {
      isCut = false;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
