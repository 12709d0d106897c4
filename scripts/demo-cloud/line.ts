// The line between the gateway and the cloud: a TCP proxy to the first node that answers. It can be cut.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Line {
  readonly url: string;
  readonly isCut: boolean;
  /** Ends all connections and lets no new ones through. */
  cut(): void;
  heal(): void;
  close(): void;
}

const HOST = "127.0.0.1";

/** `nodes`: addresses of the cloud's nodes, asked anew for each connection. */
export async function openLine(port: number, nodes: () => readonly string[]): Promise<Line> {
  const open = new Set<Socket>();
  let isCut = false;

  const server = createServer((near) => {
    open.add(near);
    near.on("error", () => {});
    near.on("close", () => open.delete(near));
    if (isCut) return void near.destroy();
    reach(near, [...nodes()]);
  });

  function reach(near: Socket, addresses: string[]): void {
    const address = addresses.shift();
    if (address === undefined || isCut) return void near.destroy();
    const far = connect(Number(new URL(address).port), HOST);
    const next = () => reach(near, addresses);
    far.once("error", next);
    far.once("connect", () => {
      far.off("error", next);
      far.on("error", () => {});
      open.add(far);
      far.on("close", () => {
        open.delete(far);
        near.destroy();
      });
      near.on("close", () => far.destroy());
      near.pipe(far).pipe(near);
    });
  }

  server.listen(port, HOST);
  await once(server, "listening");
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    get isCut() {
      return isCut;
    },
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    heal: () => {
      isCut = false;
    },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
