import type { Server, Socket } from "node:net";

/** Where the plant's servers listen: only programs of this machine reach them. */
export const PLANT_HOST = "127.0.0.1";

/** Listens on the port that is preferred, or on any when that one is taken. Closing ends open connections, too. */
export async function listenLocally(
  server: Server,
  preferred: number | undefined,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const port = await listenOn(server, preferred ?? 0).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return listenOn(server, 0);
    throw error;
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
