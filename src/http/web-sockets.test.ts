import { once } from "node:events";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { Route } from "#http/route.ts";
import { operation } from "#service/operation/operation.ts";
import { head, openBareServer } from "../../test/support/bare-server.ts";

/** A client of a path whose messages are these. */
async function listen(messages: Readable, options = {}) {
  const live = operation({
    ...head,
    method: "GET",
    path: "/live",
    name: "live",
    run: async () => ({}),
    live: async () => messages,
  });
  const { port } = await openBareServer([live]);
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`, options);
  onTestFinished(() => client.terminate());
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    client.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(client, "open");
  return { client, closed };
}

const byHand = () => new Readable({ objectMode: true, read() {} });

test("a text among the messages says why there are no more", async () => {
  const messages = byHand();
  const { client, closed } = await listen(messages);
  const first = once(client, "message");
  messages.push(Buffer.from("{}"));
  expect(String((await first)[0])).toBe("{}");
  messages.push("too slow: connect again");
  messages.push(null);
  expect(await closed).toEqual({ code: 1013, reason: "too slow: connect again" });
});

test("messages that fail end the connection", async () => {
  const messages = byHand();
  const { closed } = await listen(messages);
  messages.destroy(new Error("planted"));
  expect((await closed).code).toBe(1006);
});

test("messages end when the client leaves without a word", async () => {
  const messages = byHand();
  const { client } = await listen(messages);
  const ended = once(messages, "close");
  client.terminate();
  await ended;
});

test("a client that shows no sign of life is cut off, and one that does is not", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const living = await listen(byHand());
  const dead = await listen(byHand(), { autoPong: false });
  for (let beat = 0; beat < 4; beat++) {
    const pinged = once(living.client, "ping");
    await vi.advanceTimersByTimeAsync(15_000);
    await pinged;
    // The pong has arrived when a ping that was sent after it is answered.
    const ponged = once(living.client, "pong");
    living.client.ping();
    await ponged;
  }
  expect((await dead.closed).code).toBe(1006);
  expect(living.client.readyState).toBe(WebSocket.OPEN);
});

test("messages are taken only as fast as the client reads", async () => {
  let made = 0;
  const messages = new Readable({
    objectMode: true,
    highWaterMark: 4,
    read() {
      made++;
      this.push(Buffer.alloc(64 * 1024, "x"));
    },
  });
  const { client } = await listen(messages);
  client.pause();
  // What the system buffers is taken; then nothing more is made.
  await expect
    .poll(async () => {
      const before = made;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      return made - before;
    })
    .toBe(0);
  expect(made).toBeLessThan(1_000);
  const before = made;
  client.resume();
  await expect.poll(() => made).toBeGreaterThan(before);
});

test("gateways behind one address do not take each other's places", async () => {
  const link: Route = {
    ...head,
    method: "GET",
    path: "/links/:name",
    name: "link",
    run: async () => ({}),
    link: async ({ params }) => ({
      who: (params as { name: string }).name,
      serve: (socket) => void socket.send(Buffer.from("welcome")),
    }),
  };
  const { port } = await openBareServer([link], { connectionsPerAddress: 4 });
  const clients: WebSocket[] = [];
  for (let gateway = 0; gateway < 12; gateway++) {
    const client = new WebSocket(`ws://127.0.0.1:${port}/links/${gateway}`);
    onTestFinished(() => client.terminate());
    clients.push(client);
    expect(String((await once(client, "message"))[0])).toBe("welcome");
  }
  for (const client of clients) {
    expect(client.readyState).toBe(WebSocket.OPEN);
    const ponged = once(client, "pong");
    client.ping();
    await ponged;
  }
});
