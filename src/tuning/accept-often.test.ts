import { createServer as createHttpServer, get, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { acceptOften } from "./accept-often.ts";

async function openServer(server: Server, port = 0) {
  const open = await acceptOften(server, { port, host: "127.0.0.1" }, async (options) => {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(options, resolve);
    });
    return (server.address() as AddressInfo).port;
  });
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await open.close(() => performance.now());
  };
  onTestFinished(stop);
  return { port: open.port, stop };
}

test.skipIf(process.platform !== "linux")("a turn of the event loop accepts many connections", async () => {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const turns = new Map<number, number>();
  let turn = 0;
  let accepted = 0;
  const server = createHttpServer().on("connection", (socket) => {
    socket.resume();
    turns.set(turn, (turns.get(turn) ?? 0) + 1);
    accepted++;
    if (accepted === 256) resolve();
  });
  const { port } = await openServer(server);
  const next = () => {
    turn++;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const sockets: Socket[] = Array.from({ length: 256 }, () => connect(port, "127.0.0.1"));
  await all;
  clearImmediate(immediate);
  for (const socket of sockets) socket.destroy();
  expect(Math.max(...turns.values())).toBeGreaterThan(16);
});

test("every connection is served, and none after the end", async () => {
  const { port, stop } = await openServer(
    createHttpServer((_request, response) => response.end("here")).on("connection", (socket) => socket.resume()),
  );
  const call = () =>
    new Promise<string>((resolve, reject) => {
      const sent = get({ port, host: "127.0.0.1", agent: false }, (answer) => {
        answer.setEncoding("utf8").on("data", resolve);
      });
      sent.on("error", (error: Error & { code?: string }) => reject(new Error(error.code ?? error.message)));
    });
  const answers = await Promise.all(Array.from({ length: 40 }, call));
  expect(new Set(answers)).toEqual(new Set(["here"]));
  await stop();
  await expect(call()).rejects.toThrow("ECONNREFUSED");
});

test("a port that another program uses is refused", async () => {
  const { port } = await openServer(createHttpServer());
  await expect(openServer(createHttpServer(), port)).rejects.toThrow("EADDRINUSE");
});
