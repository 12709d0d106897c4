// Connections and the streams on them, over real sockets: which are cut off, which make room, and what ends with them.

import { once } from "node:events";
import { Agent, createServer } from "node:http";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { createShares } from "#core/share/shares.ts";
import type { Route } from "#http/route.ts";
import { RawAnswer, StreamAnswer } from "#service/operation/answer.ts";
import { operation } from "#service/operation/operation.ts";
import { echo, get, head, heldRoute, openBareServer, quick, sendAndWait } from "../../test/support/bare-server.ts";
import { boundConnections } from "./bound-connections.ts";
import type { Limits } from "./create-app.ts";

const open = (routes: readonly Route[], limits: Partial<Limits> = {}) => openBareServer(routes, { limits });

/** A route that answers with what this gives. */
function longRoute(pieces: () => AsyncGenerator<string>) {
  const stream = Readable.from(pieces(), { objectMode: false });
  const long = operation({
    ...head,
    method: "GET",
    path: "/long",
    name: "long",
    run: async () => new StreamAnswer("text/csv", stream),
  });
  return { long, stream };
}

test("a client that does not read a long answer is cut off", async () => {
  const { long, stream } = longRoute(async function* () {
    for (;;) yield "x".repeat(64 * 1024);
  });
  const { port } = await open([long], { stallMs: 50 });
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(stream, "close");
  socket.destroy();
});

test("a client that waits for more of a long answer is not", async () => {
  const { long } = longRoute(async function* () {
    yield "first ";
    await new Promise((resolve) => setTimeout(resolve, 300));
    yield "last";
  });
  const { port } = await open([long], { stallMs: 50 });
  expect(await (await fetch(`http://127.0.0.1:${port}/long`)).text()).toBe("first last");
});

test.each([
  ["that sent garbage", "\x16\x03\x01garbage\r\n\r\n"],
  ["that wants a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
])(
  "a client %s is closed for good, also when it leaves its own end open",
  async (_, text) => {
    const { port } = await open([quick]);
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    socket.resume().write(text);
    await once(socket, "end");
    // Only a connection that is gone refuses to be written to.
    const writing = setInterval(() => socket.write("x"), 20);
    await closed;
    clearInterval(writing);
  },
  10_000,
);

/** Opens that many connections that send the text and then wait; says how many of them the server has closed. */
async function openMany(port: number, count: number, text: string) {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  const closed = new Set<number>();
  for (const [at, socket] of sockets.entries()) {
    socket.on("error", () => {});
    socket.on("close", () => closed.add(at));
    socket.resume().write(text);
  }
  await Promise.all(sockets.map((socket) => once(socket, "connect").catch(() => {})));
  return {
    closed,
    /** Resolves when so many are closed. */
    async seenClosed(least: number) {
      while (closed.size < least) await new Promise((resolve) => setImmediate(resolve));
    },
    end: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

test.each([
  ["sends nothing", ""],
  ["sends slow headers", "GET /quick HTTP/1.1\r\nHost: x\r\nX-Slow:"],
  ["sends a slow body", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"],
  ["idles after its answer", "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"],
])("of too many connections the one that %s makes room, and a call under way does not", async (_, text) => {
  const { held, arrived, release } = heldRoute();
  const { port } = await open([quick, echo, held], { connectionsPerAddress: 40 });
  const agent = new Agent();
  const answer = get(port, "/held", agent);
  await arrived;
  const many = await openMany(port, 200, text);
  await many.seenClosed(161);
  expect((await get(port, "/quick", agent)).text).toBe('{"quick":true}');
  await many.seenClosed(162);
  release();
  expect((await answer).text).toBe('{"held":true}');
  many.end();
});

test("of too many connections those go first that do not read their answer", async () => {
  const pages = Buffer.alloc(16 * 1024 * 1024, "x");
  const page = operation({
    ...head,
    method: "GET",
    path: "/page",
    name: "page",
    run: async () => new RawAnswer("text/plain", pages),
  });
  const { port } = await open([page, quick], { connections: 10 });
  const readers = Array.from({ length: 10 }, () => connect(port, "127.0.0.1").pause());
  for (const socket of readers) {
    socket.on("error", () => {});
    socket.write("GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "readable");
  }
  expect((await get(port, "/quick", new Agent())).text).toBe('{"quick":true}');
  for (const socket of readers) socket.destroy();
});

test("a client that does not read an answer of one piece is cut off", async () => {
  const gone = Promise.withResolvers<void>();
  const page = operation({
    ...head,
    method: "GET",
    path: "/page",
    name: "page",
    run: async ({ signal }) => {
      signal().addEventListener("abort", () => gone.resolve());
      return new RawAnswer("text/plain", Buffer.alloc(16 * 1024 * 1024, "x"));
    },
  });
  const { port } = await open([page], { stallMs: 50 });
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write("GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
  await gone.promise;
  socket.destroy();
});

test("when every connection is in use, a newcomer gets an answer that says so", async () => {
  const { held, arrived, release } = heldRoute();
  const { port } = await open([held], { connections: 1 });
  const agent = new Agent();
  const answer = get(port, "/held", agent);
  await arrived;
  const refused = await sendAndWait(port, "");
  expect(refused).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/);
  expect(refused).toContain('{"errors":[{"code":"overloaded"');
  expect(refused).toContain("Retry-After: 1\r\n");
  release();
  expect((await answer).status).toBe(200);
});

test("HEAD of a stream answers with its headers and ends the stream", async () => {
  const { long, stream } = longRoute(async function* () {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      yield "more ";
    }
  });
  const { port } = await open([long]);
  const closed = once(stream, "close");
  const answer = await fetch(`http://127.0.0.1:${port}/long`, { method: "HEAD" });
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-length")]).toEqual([
    200,
    "text/csv",
    null,
  ]);
  await closed;
});

test("a client that leaves while its call is handled ends the call's signal, and the stream that comes too late", async () => {
  const called = Promise.withResolvers<AbortSignal>();
  const closed = Promise.withResolvers<void>();
  const late = operation({
    ...head,
    method: "GET",
    path: "/late",
    name: "late",
    run: async ({ signal }) => {
      called.resolve(signal());
      await once(signal(), "abort");
      const stream = new Readable({ read() {} }).once("close", closed.resolve);
      return new StreamAnswer("text/csv", stream);
    },
  });
  const { port, lines } = await open([late]);
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
  expect((await called.promise).aborted).toBe(false);
  socket.resetAndDestroy();
  await closed.promise;
  expect(lines).toEqual([]);
});

test("a signal that is asked for after the client has left is aborted already", async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<boolean>();
  const slow = operation({
    ...head,
    method: "GET",
    path: "/slow",
    name: "slow",
    run: async (call) => {
      arrived.resolve();
      await release.promise;
      seen.resolve(call.signal().aborted);
      return {};
    },
  });
  const { held, arrived: reached, release: end } = heldRoute();
  const { port } = await open([slow, held], { connections: 2 });
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  await arrived.promise;
  socket.resetAndDestroy();
  await once(socket, "close");
  // By the time that another call has been taken the server knows.
  const agent = new Agent();
  const answer = get(port, "/held", agent);
  await reached;
  release.resolve();
  expect(await seen.promise).toBe(true);
  end();
  await answer;
});

/** A server whose event loop turns by hand, and on which the beginning of a connection takes a tenth of a millisecond. */
function openByHand(connectionsPerAddress: number) {
  let now = 0;
  let next: (() => void)[] = [];
  const begun: string[] = [];
  const loop = {
    elapsed: () => now,
    nextTurn: (task: () => void) => void next.push(task),
    settled: (task: () => void) => task(),
  };
  const server = createServer();
  server.removeAllListeners("connection");
  server.on("connection", ({ remoteAddress = "" }) => {
    begun.push(remoteAddress);
    now += 0.1;
  });
  const needs = { shares: createShares(), refuseNewcomer: () => {}, loop };
  boundConnections(server, needs, { connections: 1_000, connectionsPerAddress, stallMs: 1_000 });
  return {
    connect(remoteAddress: string) {
      const socket = Object.assign(new PassThrough(), { remoteAddress });
      server.emit("connection", socket);
      return socket;
    },
    /** The addresses of the connections that have begun since the last turn. */
    turn() {
      const tasks = next;
      next = [];
      for (const task of tasks) task();
      return begun.splice(0);
    },
  };
}

test("a connection begins before those that another address opened earlier", () => {
  const { connect, turn } = openByHand(500);
  for (let count = 0; count < 400; count++) connect("10.0.0.66");
  connect("10.0.0.1");
  // Two had time at once. Then the addresses take turns, one or two connections in each turn of the event loop.
  const begun = [...turn(), ...turn(), ...turn()];
  expect(begun.indexOf("10.0.0.1")).toBeGreaterThan(1);
  expect(begun.indexOf("10.0.0.1")).toBeLessThan(6);
});

test("of too many connections, those that never began go before they cost anything", () => {
  const { connect, turn } = openByHand(20);
  const sockets = Array.from({ length: 400 }, () => connect("10.0.0.66"));
  expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(380);
  const begun = Array.from({ length: 100 }, turn).flat();
  expect(begun.length).toBeLessThanOrEqual(5 + 20);
  expect(sockets.at(-1)?.destroyed).toBe(false);
});
