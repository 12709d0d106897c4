import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import type { Caller } from "#core/access/caller.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { boundUnread } from "./bound-unread.ts";

const MIB = 1024 * 1024;
/** Far more than the system takes for a client that does not read. */
const LARGE = 16 * MIB;

async function open(limit: number) {
  const budget = createByteBudget("unread", limit);
  const app = Fastify();
  onTestFinished(() => app.close());
  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request) => {
    request.caller = { tokenId: String(request.headers["x-token"] ?? "") } as Caller;
  });
  boundUnread(app, budget);
  let served = 0;
  app.get("/large", async () => "x".repeat(LARGE));
  app.addHook("onSend", async () => {
    served++;
  });
  app.get("/small", async () => "x");
  app.get("/stream", async () => Readable.from(["x", "y"]));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  /** Asks and reads nothing until it is asked to. */
  const ask = async (name: string): Promise<Socket> => {
    const before = served;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(`GET /large HTTP/1.1\r\nHost: a\r\nX-Token: ${name.slice(0, 1)}\r\n\r\n`);
    socket.pause();
    await expect.poll(() => served, { interval: 5 }).toBe(before + 1);
    return socket;
  };
  return { budget, url, ask };
}

/** Reads to the end; gives whether the answer was cut. */
async function isCut(socket: Socket): Promise<boolean> {
  let bytes = 0;
  socket.on("data", (data) => {
    bytes += data.length;
    if (bytes > LARGE) socket.destroy();
  });
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return bytes < LARGE;
}

test("beyond the budget the requester with the most loses the answer that has waited longest", async () => {
  const { budget, ask } = await open(3 * LARGE);
  const sockets = [await ask("a1"), await ask("b1"), await ask("b2"), await ask("c1")];
  expect(await Promise.all(sockets.map(isCut))).toEqual([false, true, false, false]);
  await expect.poll(() => budget.used()).toBe(0);
});

test("what was read, and what is small, is not counted", async () => {
  const { budget, url } = await open(3 * LARGE);
  for (const path of ["large", "small", "stream"]) await (await fetch(`${url}/${path}`)).arrayBuffer();
  await expect.poll(() => budget.used()).toBe(0);
});
