// Slow requests, faults and the stop, over real sockets, with routes made for the purpose.

import { once } from "node:events";
import { Agent, METHODS } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Route } from "#http/route.ts";
import { StreamAnswer } from "#service/operation/answer.ts";
import { operation, streamOperation } from "#service/operation/operation.ts";
import { echo, get, head, heldRoute, openBareServer, quick, sendAndWait } from "../../test/support/bare-server.ts";
import type { Limits } from "./create-app.ts";

const broken = operation({
  ...head,
  method: "GET",
  path: "/broken",
  name: "broken",
  run: () => Promise.reject(new Error("secret detail")),
});

/** Pieces of text that come as they are read, without an end. */
async function* endless(): AsyncGenerator<string> {
  for (;;) yield await new Promise<string>((resolve) => setTimeout(resolve, 5, "piece "));
}

/** Resolves when nobody can connect any more. */
async function refusal(port: number): Promise<void> {
  const isRefused = async () => {
    const socket = connect(port, "127.0.0.1");
    const event = await Promise.race([once(socket, "connect").then(() => "connected"), once(socket, "error")]).catch(
      () => "refused",
    );
    socket.destroy();
    return event !== "connected";
  };
  await expect.poll(isRefused, { interval: 1 }).toBe(true);
}

const open = (routes: readonly Route[], limits: Partial<Limits> = {}) => openBareServer(routes, { limits });

test("a client that never finishes its headers is cut off with errors", async () => {
  const { port } = await open([quick], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  const seen = await sendAndWait(port, "GET /quick HTTP/1.1\r\nHost: x\r\nX-Slow:");
  expect(seen).toMatch(/^HTTP\/1.1 408 /);
  expect(seen).toContain('{"errors":[{"code":"request_timeout"');
  expect(seen).toContain("X-Request-Id: ");
});

test("a connection on which nothing was sent is closed without an answer that the next request would get", async () => {
  const { port } = await open([quick], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  expect(await sendAndWait(port, "")).toBe("");
});

test("a request that breaks off behind an answered one is 408, and its connection has both answers", async () => {
  const { port } = await open([quick], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  const seen = await sendAndWait(port, "GET /quick HTTP/1.1\r\nHost: x\r\n\r\nGET /quick HT");
  expect(seen.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 408"]);
});

test("an answer that has begun is broken off, not mixed with an error, when the rest of its request does not come", async () => {
  const early = streamOperation({
    ...head,
    method: "POST",
    path: "/early",
    name: "early",
    body: ["text/plain"],
    run: async () => new StreamAnswer("text/plain", Readable.from(endless())),
  });
  const { port } = await open([early], { headersMs: 1_900, requestMs: 2_000, checkEveryMs: 50 });
  const seen = await sendAndWait(port, "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
  expect(seen).toMatch(/^HTTP\/1.1 200 /);
  expect(seen).not.toContain("errors");
});

test.each([
  ["bytes that are no HTTP", "BROKEN\r\n\r\n", "HTTP/1.1 400"],
  ["a CONNECT", "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400"],
  [
    "a request for a WebSocket",
    "GET /nothing HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "HTTP/1.1 404",
  ],
])("%s, sent behind a request that runs, is answered after it", async (_, second, expected) => {
  const { held, arrived, release } = heldRoute();
  const { port } = await open([held]);
  const first = "GET /held HTTP/1.1\r\nHost: x\r\n\r\n";
  const seen = sendAndWait(port, first + second);
  await arrived;
  release();
  expect((await seen).match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", expected]);
});

test("no method is a fault: those that no operation has are 404", async () => {
  const { port, lines } = await open([quick]);
  const served = new Set(["CONNECT", "GET", "HEAD", "OPTIONS"]);
  for (const method of METHODS.filter((name) => !served.has(name))) {
    for (const body of ["", "Content-Length: 2\r\n", "Content-Type: x\r\nContent-Length: 2\r\n"]) {
      const request = `${method} /quick HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${body}\r\n${body && "{}"}`;
      expect([method, (await sendAndWait(port, request)).slice(0, 12)]).toEqual([method, "HTTP/1.1 404"]);
    }
  }
  expect(lines).toEqual([]);
});

test.each(["Host: x\r\nHost: y", "Host: x\r\nhost: x"])("a request with two hosts is refused: %j", async (hosts) => {
  const { port } = await open([quick]);
  const seen = await sendAndWait(port, `GET /quick HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
  expect(seen).toMatch(/^HTTP\/1.1 400 /);
  expect(seen).toContain("more than one Host header");
});

test("a client that never finishes its body is cut off with errors", async () => {
  const { port } = await open([echo], { headersMs: 50, requestMs: 60, checkEveryMs: 10 });
  const seen = await sendAndWait(port, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
  expect(seen).toMatch(/^HTTP\/1.1 408 /);
  expect(seen).toContain('{"errors":[{"code":"request_timeout"');
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
  await server.closePort();
  const [refused] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  expect(refused.code).toBe("ECONNREFUSED");
  const stopped = server.stop();
  // Nobody waits for a first request, so the next turn of microtasks refuses.
  await new Promise(setImmediate);
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write("\r\n");
  await once(socket, "close");
  expect(seen).toMatch(/^HTTP\/1.1 503 /);
  expect(seen.toLowerCase()).toContain("retry-after: 1\r\n");
  expect(seen.toLowerCase()).toContain("connection: close\r\n");
  expect(seen).toContain('"code":"shutting_down"');
  release();
  expect((await answer).status).toBe(200);
  await stopped;
});

test("a client that connected before the stop and is heard after it is served, and its connection closed", async () => {
  const { server, port } = await open([quick]);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const stopped = server.stop();
  await refusal(port);
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "close");
  expect(seen).toMatch(/^HTTP\/1.1 200 /);
  expect(seen.toLowerCase()).toContain("connection: close\r\n");
  await stopped;
});

test("those who connect all at once while the server stops are all served", async () => {
  const { server, port } = await open([quick], { connectionsPerAddress: 1_000 });
  const sockets = Array.from({ length: 200 }, () => connect(port, "127.0.0.1"));
  const ends = sockets.map(async (socket) => {
    let seen = "";
    socket.on("data", (part) => (seen += part.toString()));
    socket.write("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
    const [error] = await Promise.race([once(socket, "close"), once(socket, "error")]).catch((thrown) => [thrown]);
    return error instanceof Error ? error.message : seen.slice(0, 12);
  });
  // By now the system has connected them; the server has accepted none.
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  await server.stop();
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["HTTP/1.1 200"]));
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
  const { server, port } = await open([quick], { stopMs: 3_600_000, headersMs: 290_000 });
  const ahead = connect(port, "127.0.0.1");
  const closed = once(ahead, "close");
  await once(ahead, "connect");
  // By the time of this answer the server has accepted the connection before it.
  expect(await get(port, "/quick", new Agent())).toMatchObject({ status: 200 });
  await server.stop();
  await closed;
}, 240_000);

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

test("a call has no getter of its own: each one would keep all that the call has made beyond its end", async () => {
  let call: object = {};
  const seen = operation({
    ...head,
    method: "GET",
    path: "/seen",
    name: "seen",
    run: async (one) => {
      call = one;
      return {};
    },
  });
  const { port } = await open([seen]);
  await get(port, "/seen", new Agent());
  const own = Object.values(Object.getOwnPropertyDescriptors(call));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((property) => property.get !== undefined)).toEqual([]);
});

test("handlers learn of the stop by their signal", async () => {
  const seen = Promise.withResolvers<AbortSignal>();
  const waiting = operation({
    ...head,
    method: "GET",
    path: "/waiting",
    name: "waiting",
    run: async ({ signal }) => {
      seen.resolve(signal());
      await once(signal(), "abort");
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
