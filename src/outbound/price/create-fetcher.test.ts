import type { lookup } from "node:dns";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { startUpgradingServer } from "../../../test/support/upgrading-server.ts";
import { createFetcher, type FetcherSettings } from "./create-fetcher.ts";

let server: Receiver;
beforeAll(async () => {
  server = await startReceiver();
});
afterAll(() => server.stop());

const HEADER = { name: "X-Key", value: "canary-secret" };
const fetchFrom = (url: string, settings: Partial<FetcherSettings> = {}, signal = new AbortController().signal) =>
  createFetcher({ allowPrivate: true, timeoutMs: 5_000, ...settings }).fetch(
    { url: new URL(url), header: HEADER },
    signal,
  );

test("the answer is fetched with the header, and asked for as plain JSON", async () => {
  server.answer = (response) => void response.end('{"größe":1}');
  expect(await fetchFrom(`${server.url}/prices?day=1`)).toEqual({ text: '{"größe":1}' });
  const { method, path, headers } = await server.next();
  expect([method, path]).toEqual(["GET", "/prices?day=1"]);
  expect(headers).toMatchObject({
    "x-key": "canary-secret",
    accept: "application/json",
    "accept-encoding": "identity",
  });
});

test("a private address is refused, named outright or by a name that resolves to it", async () => {
  const before = server.received.length;
  const lookUp = ((_: string, __: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as typeof lookup;
  const refused = { error: "the address is not a public one" };
  expect(await fetchFrom(server.url, { allowPrivate: false })).toEqual(refused);
  expect(await fetchFrom(`http://prices.example:${server.port}/`, { allowPrivate: false, lookUp })).toEqual(refused);
  expect(server.received.length).toBe(before);
});

test("a redirect is not followed, wherever it leads", async () => {
  const before = server.received.length;
  server.answer = (response) => void response.writeHead(302, { Location: "http://169.254.169.254/" }).end();
  expect(await fetchFrom(server.url)).toEqual({
    error: "answered 302: redirects are not followed; enter the address that it leads to",
  });
  expect(server.received.length).toBe(before + 1);
});

test("a server that switches to another protocol has answered, and nobody waits for it", async () => {
  expect(await fetchFrom(await startUpgradingServer())).toEqual({ error: "answered 101" });
});

test("an answer without end is broken off at its limit", async () => {
  const closed = Promise.withResolvers<void>();
  server.answer = (response) => {
    response.on("close", closed.resolve);
    response.on("drain", pour);
    function pour() {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    }
    pour();
  };
  expect(await fetchFrom(server.url)).toEqual({ error: "the answer has more than 1 MiB" });
  await closed.promise;
});

test("an answer that comes byte by byte has the same deadline as none", async () => {
  server.answer = (response) => {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  };
  expect(await fetchFrom(server.url, { timeoutMs: 100 })).toEqual({ error: "no answer in time" });
  server.answer = () => {};
  expect(await fetchFrom(server.url, { timeoutMs: 50 })).toEqual({ error: "no answer in time" });
});

test("other failures are explained, and never with the header", async () => {
  server.answer = (response) => void response.writeHead(401).end();
  expect(await fetchFrom(server.url)).toEqual({ error: "answered 401" });
  server.answer = (response) => void response.end(Buffer.from([0xff, 0xfe]));
  expect(await fetchFrom(server.url)).toEqual({ error: "the answer is not UTF-8 text" });
  server.answer = (response) => void response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("{}"));
  expect(await fetchFrom(server.url)).toEqual({ error: "the answer is compressed, though it must not be" });
  server.answer = (response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("{");
    setImmediate(() => response.destroy());
  };
  expect(await fetchFrom(server.url)).toEqual({ error: "the connection broke" });
  const stopping = AbortSignal.abort();
  expect(await fetchFrom(server.url, {}, stopping)).toEqual({ error: "broken off: the service stops" });
  const bad = createFetcher({ allowPrivate: true, timeoutMs: 100 });
  const header = { name: "X-Key", value: "canary\r\nX-Other: 1" };
  expect(await bad.fetch({ url: new URL(server.url), header }, new AbortController().signal)).toEqual({
    error: "the request cannot be made with this address and header",
  });
});
