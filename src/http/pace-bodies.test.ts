import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { createBodyPacer } from "./pace-bodies.ts";

const MIB = 1024 * 1024;

/** An event loop whose turns have no time left, and that goes on only when the test says so. */
function stoppedLoop() {
  const tasks: (() => void)[] = [];
  let ms = 0;
  return {
    loop: {
      elapsed: () => ms++,
      nextTurn: (task: () => void) => void tasks.push(task),
      settled: (task: () => void) => task(),
    },
    turn: () => {
      for (const task of tasks.splice(0)) task();
    },
  };
}

test("a body whose piece waits for its turn is not read on, and is whole in the end", async () => {
  const { loop, turn } = stoppedLoop();
  const shares = createShares();
  const pacer = createBodyPacer(shares, 10, loop);
  const whole = Promise.withResolvers<number>();
  let bytesRead = () => 0;
  const server = createServer((request) => {
    bytesRead = () => request.socket.bytesRead;
    let length = 0;
    const body = pacer.pace(request, "someone");
    expect(pacer.pace(request, "someone")).toBe(body);
    body.on("data", (piece: Buffer) => {
      length += piece.length;
    });
    body.once("end", () => whole.resolve(length));
  });
  onTestFinished(() => void server.closeAllConnections());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = send({ port, host: "127.0.0.1", method: "POST", headers: { "content-length": 16 * MIB } });
  client.on("error", () => {});
  client.end(Buffer.alloc(16 * MIB));

  const [[, share] = []] = [...shares.list()];
  while (share?.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  let before = -1;
  // The kernel may still deliver what was asked for before.
  while (bytesRead() !== before) {
    before = bytesRead();
    for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(before).toBeLessThan(MIB);
  const turning = setInterval(turn, 0);
  onTestFinished(() => clearInterval(turning));
  expect(await whole.promise).toBe(16 * MIB);
});

test("a client that goes away in the middle ends its body", async () => {
  const pacer = createBodyPacer(createShares(), 10);
  const failed = Promise.withResolvers<unknown>();
  const server = createServer((request) => {
    const body = pacer.pace(request, "someone");
    body.once("error", failed.resolve).resume();
    client.destroy();
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = send({ port, host: "127.0.0.1", method: "POST", headers: { "content-length": 16 * MIB } });
  client.on("error", () => {});
  client.write(Buffer.alloc(MIB));
  expect(await failed.promise).toMatchObject({ code: "ECONNRESET" });
});
