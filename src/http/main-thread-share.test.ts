// Who is served before whom, over real sockets: a proxy says whose call it is, so that one machine can be many.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { operation } from "#service/operation/operation.ts";
import { head, openBareServer } from "../../test/support/bare-server.ts";
import { createMainThreadShare } from "./main-thread-share.ts";

/** A server whose calls each take five milliseconds, most of them after an await; `served` says whose were served in which order. */
async function createBench() {
  const served: string[] = [];
  const busy = operation({
    ...head,
    method: "GET",
    path: "/busy",
    name: "busy",
    run: async ({ remoteAddress }) => {
      await Promise.resolve();
      for (const end = performance.now() + (remoteAddress === "10.0.0.9" ? 0 : 5); performance.now() < end; );
      served.push(remoteAddress);
      return {};
    },
  });
  const { port, shares } = await openBareServer([busy], { trustProxy: true, connectionsPerAddress: 1_024 });
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const ask = (socket: Socket, address: string, path = "/busy") => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`);
    return once(socket, "data");
  };
  return { served, shares, open, ask };
}

test("a call of another goes before the rest of a flood, and two floods share the time", async () => {
  const { served, shares, open, ask } = await createBench();
  const sockets = await Promise.all(Array.from({ length: 81 }, open));
  // The server accepts few connections a turn: each has had an answer before the flood begins.
  for (const socket of sockets) await ask(socket, "10.0.0.9");
  served.length = 0;
  const answers = sockets.map((socket, n) => ask(socket, n < 40 ? "10.0.0.1" : n < 80 ? "10.0.0.2" : "10.0.0.3"));
  await Promise.all(answers);
  // Served before anybody waited are the first ones, some milliseconds of them; nothing is lost.
  expect(served).toHaveLength(81);
  expect(served.indexOf("10.0.0.3")).toBeLessThan(20);
  const halfway = served.slice(0, 50).filter((one) => one === "10.0.0.2").length;
  expect(halfway).toBeGreaterThan(10);
  expect([...shares.list()].find(([name]) => name === "main_thread")?.[1]).toMatchObject({ waiting: 0, refused: 0 });
});

test("a refusal takes its turn behind the other calls of its requester", async () => {
  const { served, open, ask } = await createBench();
  const sockets = await Promise.all(Array.from({ length: 41 }, open));
  for (const socket of sockets) await ask(socket, "10.0.0.9");
  served.length = 0;
  const answers = sockets.map((socket, n) => ask(socket, "10.0.0.1", n < 40 ? "/busy" : "/nowhere"));
  await answers[40];
  expect(served.length).toBeGreaterThan(30);
  await Promise.all(answers);
});

test("pieces of long lists take turns: a call of another token waits for one piece, not for all", async () => {
  const turns: (() => void)[] = [];
  let time = 0;
  const share = createMainThreadShare(createShares(), {
    elapsed: () => time,
    nextTurn: (task) => void turns.push(task),
    settled: queueMicrotask,
  });
  const requestOf = (tokenId: string) => ({ caller: { tokenId }, ip: "::1" }) as unknown as FastifyRequest;
  const order: string[] = [];
  const work = (name: string) => {
    order.push(name);
    time += 3;
  };
  for (let n = 0; n < 5; n++) void share.nextTurn(requestOf("greedy")).then(() => work("piece"));
  void share.serve(requestOf("other"), async () => work("call"));
  for (let n = 0; n < 2; n++) {
    for (const turn of turns.splice(0)) turn();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(order).toEqual(["piece", "call"]);
});
