import type { Server, Socket } from "node:net";

/** Where the plant's servers listen: only programs of this machine reach them. */
export const PLANT_HOST = "127.0.0.1";

/** Listens on the port that is preferred, or on any when that one is taken or is no port. Closing ends open connections, too. */
export async function listenLocally(
  server: Server,
  preferred: number | undefined,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listenOn(server, isPort(preferred) ? preferred : 0).catch((error: unknown) => {
    if (preferred === undefined) throw error;
    return listenOn(server, 0);
  });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, PLANT_HOST, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** What was stored may be anything; a text would be taken for the path of a socket. */
function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;
}
