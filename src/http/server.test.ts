// Slow clients and the stop, over real sockets, with routes made for the purpose.

import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { Type } from "#http/schema.ts";
import type { Limits } from "./create-app.ts";
import { RawAnswer, type Route, route, StreamAnswer } from "./route.ts";
import { createServer, type Server } from "./server.ts";

const started: Server[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

const anything = Type.Object({}, { additionalProperties: true });
const head = { tag: "Test", summary: "", access: "public", answer: anything } as const;
const quick = route({
  ...head,
  method: "GET",
  path: "/quick",
  operation: "quick",
  handle: async () => ({ quick: true }),
});
const echo = route({
  ...head,
  method: "POST",
  path: "/echo",
  operation: "echo",
  body: anything,
  handle: async ({ body }) => body as object,
});
const broken = route({
  ...head,
  method: "GET",
  path: "/broken",
  operation: "broken",
  handle: () => Promise.reject(new Error("secret detail")),
});

/** A route that answers when told to, and says when a call has reached it. */
function heldRoute() {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = route({
    ...head,
    method: "GET",
    path: "/held",
    operation: "held",
    handle: async () => {
      arrived.resolve();
      await release.promise;
      return { held: true };
    },
  });
  return { held, arrived: arrived.promise, release: release.resolve };
}

async function open(routes: readonly Route[], limits: Partial<Limits> = {}) {
  const lines: string[] = [];
  const server = await createServer(
    {
      now: () => instant(0),
      newId: () => "id",
      devices: { findIn: async () => undefined, findBySlug: async () => [] },
      refusals: { note: () => {} },
      authenticator: {
        authenticate: () => Promise.reject(new Error("no token is needed here")),
        forget: () => {},
        onEnd: () => () => {},
        isLive: async () => false,
        lastUse: () => undefined,
        flushUses: async () => {},
      },
      telemetryCounter: { read: () => ({ kept: 0, leftOut: 0 }) },
      budgets: createByteBudgets(),
      troubles: { list: () => [], counts: () => new Map() },
      shares: createShares(),
      hosts: { states: () => [] },
      log: pino({ base: null }, { write: (line: string) => lines.push(line) }),
    },
    {
      headerPrefixes: ["X-Service"],
      wrongTokenLimit: 10,
      trustProxy: false,
      metricsPublic: false,
      connectionsPerAddress: 100,
      limits,
    },
    routes,
  );
  const { port } = await server.listen(0, "127.0.0.1");
  started.push(server);
  return { server, port, lines };
}

/** Sends and keeps the connection open; gives all that came until the server closed it. */
async function sendAndWait(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write(text);
  await once(socket, "close");
  return seen;
}

interface Seen {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

function get(port: number, path: string, agent: Agent): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path, agent }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, connection: response.headers.connection, text }));
    });
    call.on("error", reject).end();
  });
}

test("a client that never finishes its headers is cut off with errors", async () => {
  const { port } = await open([quick], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  const seen = await sendAndWait(port, "GET /quick HTTP/1.1\r\nHost: x\r\nX-Slow:");
  expect(seen).toMatch(/^HTTP\/1.1 400 /);
  expect(seen).toContain('{"errors":[{"code":"invalid_request"');
  expect(seen).toContain("X-Request-Id: ");
});

test("a client that never finishes its body is cut off with errors", async () => {
  const { port } = await open([echo], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  const seen = await sendAndWait(port, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
  expect(seen).toMatch(/^HTTP\/1.1 400 /);
  expect(seen).toContain('{"errors":[{"code":"invalid_request"');
});

test("a connection on which nothing happens is closed", async () => {
  const { port } = await open([quick], { idleMs: 20, checkEveryMs: 10 });
  expect(await sendAndWait(port, "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n")).toContain('{"quick":true}');
});

test("a call that runs is finished by the stop, and its connection closed with it", async () => {
  const { held, arrived, release } = heldRoute();
  const { server, port } = await open([held]);
  const agent = new Agent({ keepAlive: true });
  const answer = get(port, "/held", agent);
  await arrived;
  const stopped = server.stop();
  release();
  expect(await answer).toMatchObject({ status: 200, text: '{"held":true}', connection: "close" });
  await stopped;
  agent.destroy();
});

test("during the stop a call on an open connection is 503 shutting_down, and a new connection is refused", async () => {
  const { held, arrived, release } = heldRoute();
  const { server, port } = await open([held, quick]);
  const agent = new Agent();
  const answer = get(port, "/held", agent);
  await arrived;
  const socket = connect(port, "127.0.0.1");
  // The head of the second call arrives together with the first call, so the connection is not idle at the stop.
  socket.write("GET /quick HTTP/1.1\r\nHost: x\r\n\r\nGET /quick HTTP/1.1\r\nHost: x\r\n");
  await once(socket, "data");
  const stopped = server.stop();
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write("\r\n");
  await once(socket, "close");
  expect(seen).toMatch(/^HTTP\/1.1 503 /);
  expect(seen).toContain('"code":"shutting_down"');
  const [refused] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  expect(refused.code).toBe("ECONNREFUSED");
  release();
  expect((await answer).status).toBe(200);
  await stopped;
});

test("connections that wait idle do not hold up the stop", async () => {
  const { server, port } = await open([quick]);
  const agent = new Agent({ keepAlive: true });
  await get(port, "/quick", agent);
  await server.stop();
  agent.destroy();
});

test("a connection that was opened ahead of need does not hold up the stop", async () => {
  // Longer than the test may take.
  const { server, port } = await open([quick], { stopMs: 60_000, headersMs: 30_000 });
  const ahead = connect(port, "127.0.0.1");
  const closed = once(ahead, "close");
  await once(ahead, "connect");
  // By the time of this answer the server has accepted the connection before it.
  expect(await get(port, "/quick", new Agent())).toMatchObject({ status: 200 });
  await server.stop();
  await closed;
}, 10_000);

test("a call that does not end is cut off when the time of the stop is over", async () => {
  const { held, arrived, release } = heldRoute();
  const { server, port } = await open([held], { stopMs: 50 });
  const agent = new Agent();
  const answer = get(port, "/held", agent);
  await arrived;
  const cut = expect(answer).rejects.toThrow("socket hang up");
  await server.stop();
  await cut;
  release();
});

test("handlers learn of the stop by their signal", async () => {
  const seen = Promise.withResolvers<AbortSignal>();
  const waiting = route({
    ...head,
    method: "GET",
    path: "/waiting",
    operation: "waiting",
    handle: async ({ signal }) => {
      seen.resolve(signal);
      await once(signal, "abort");
      return { aborted: true };
    },
  });
  const { server, port } = await open([waiting]);
  const agent = new Agent();
  const answer = get(port, "/waiting", agent);
  await seen.promise;
  await server.stop();
  expect((await answer).text).toBe('{"aborted":true}');
});

test("a fault is answered 500 without details and logged with them under the request id", async () => {
  const { port, lines } = await open([broken]);
  const agent = new Agent();
  const answer = await get(port, "/broken", agent);
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain("secret detail");
  expect(lines.join("")).toContain("secret detail");
  expect(JSON.parse(lines[0] ?? "{}").requestId).toBeTruthy();
});

/** A route that answers with what this gives. */
function longRoute(pieces: () => AsyncGenerator<string>) {
  const stream = Readable.from(pieces(), { objectMode: false });
  const long = route({
    ...head,
    method: "GET",
    path: "/long",
    operation: "long",
    handle: async () => new StreamAnswer("text/csv", stream),
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
  expect((await get(port, "/quick", agent)).text).toBe('{"quick":true}');
  await many.seenClosed(161);
  release();
  expect((await answer).text).toBe('{"held":true}');
  many.end();
});

test("of too many connections those go first that do not read their answer", async () => {
  const pages = Buffer.alloc(16 * 1024 * 1024, "x");
  const page = route({
    ...head,
    method: "GET",
    path: "/page",
    operation: "page",
    handle: async () => new RawAnswer("text/plain", pages),
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
  const page = route({
    ...head,
    method: "GET",
    path: "/page",
    operation: "page",
    handle: async ({ signal }) => {
      signal.addEventListener("abort", () => gone.resolve());
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

test("when every connection is in use, a newcomer is told so", async () => {
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
  const late = route({
    ...head,
    method: "GET",
    path: "/late",
    operation: "late",
    handle: async ({ signal }) => {
      called.resolve(signal);
      await once(signal, "abort");
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
  const slow = route({
    ...head,
    method: "GET",
    path: "/slow",
    operation: "slow",
    handle: async (call) => {
      arrived.resolve();
      await release.promise;
      seen.resolve(call.signal.aborted);
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
