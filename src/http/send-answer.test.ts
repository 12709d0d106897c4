import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { DisposableAnswer, DisposableStream, RawAnswer, StreamAnswer } from "#service/operation/answer.ts";
import { sendAnswer } from "./send-answer.ts";

/** A server that sends these bytes. Resolves when it has sent them, or when their connection has ended. */
async function serve(answer: RawAnswer | StreamAnswer) {
  const app = fastify();
  onTestFinished(() => app.close());
  const ended = Promise.withResolvers<void>();
  let cut = () => {};
  app.get("/", (_, reply) => {
    reply.raw.once("close", ended.resolve);
    cut = () => reply.raw.socket?.destroy();
    sendAnswer(reply, 200, answer);
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, ended: ended.promise, cut: () => cut() };
}

const bytes = (length: number) => new Uint8Array(length).fill(7);

test("bytes that nothing else holds are gone when they have been sent, others stay", async () => {
  for (const [Answer, left] of [
    [DisposableAnswer, 0],
    [RawAnswer, 3_000_000],
  ] as const) {
    const content = bytes(3_000_000);
    const { url, ended } = await serve(new Answer("text/csv", content));
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes(3_000_000))).toBe(true);
    await ended;
    expect(content.length).toBe(left);
  }
});

test("so are the pieces of a stream", async () => {
  for (const [Answer, left] of [
    [DisposableStream, 0],
    [StreamAnswer, 20_000],
  ] as const) {
    const pieces = Array.from({ length: 200 }, () => bytes(20_000));
    const { url, ended } = await serve(new Answer("text/csv", Readable.from(pieces)));
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes(4_000_000))).toBe(true);
    await ended;
    expect(new Set(pieces.map(({ length }) => length))).toEqual(new Set([left]));
  }
});

test.each([
  ["client", "answer"],
  ["client", "stream"],
  ["server", "answer"],
  ["server", "stream"],
])("bytes of a connection that the %s cuts off are left alone: %s", async (who, kind) => {
  const content = bytes(64 * 1024 * 1024);
  const answer = new DisposableAnswer("text/csv", content);
  const stream = new DisposableStream("text/csv", Readable.from([content]));
  const { port, ended, cut } = await serve(kind === "answer" ? answer : stream);
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "data");
  if (who === "client") socket.destroy();
  else cut();
  await ended;
  expect(content.length).toBe(64 * 1024 * 1024);
});
