// A TCP proxy on 127.0.0.1 whose connections can be cut, and which can be closed for a while or led elsewhere.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Ends all connections without a word. */
  cut(): void;
  /** New connections are refused from now on, or accepted again; perhaps they lead to another port. */
  refuse(): void;
  accept(toPort?: number): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let toPort = target;
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) return void near.destroy();
    const far = connect(toPort, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    cut,
    refuse() {
      isOpen = false;
      cut();
    },
    accept(port = toPort) {
      toPort = port;
      isOpen = true;
    },
    async stop() {
      isOpen = false;
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
