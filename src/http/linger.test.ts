import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { PATIENT } from "../../test/support/patient.ts";
import { type LingerLimits, lingerAfter } from "./linger.ts";
import { type BodyPacer, createBodyPacer } from "./pace-bodies.ts";

const LARGE: LingerLimits = { ms: 60_000, silentMs: 60_000, bytes: 1024 ** 3 };
let server: Server | undefined;
let client: Socket | undefined;
/** The pieces of the body that came in their turns. */
let dropped: Buffer[] = [];
afterEach(() => {
  dropped = [];
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

interface Refused {
  readonly client: Socket;
  /** Resolves with the number of bytes read when the server has closed its side for good. */
  readonly closed: Promise<number>;
}

/** A client that goes on with its body although the server has refused it and said its last word. */
async function openRefused(limits: Partial<LingerLimits>, length = 1e9): Promise<Refused> {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  server = createServer((request, response) => {
    const { socket } = request;
    socket.once("close", () => resolve(socket.bytesRead));
    const { pace } = createBodyPacer(createShares(), 10);
    const pacer: BodyPacer = {
      pace: (...asked) => pace(...asked).on("data", (piece: Buffer) => dropped.push(piece)),
    };
    lingerAfter(request, pacer, { ...LARGE, ...limits });
    response.writeHead(413, { connection: "close", "content-length": 2 }).end("no");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  await once(client, "data");
  client.resume();
  return { client, closed };
}

test("a client that goes silent after its refusal is cut off", async () => {
  const { closed } = await openRefused({ silentMs: 200 });
  expect(await closed).toBeLessThan(100);
});

test("a client that never stops sending is cut off by its bytes", async () => {
  const { client, closed } = await openRefused({ bytes: 8 * 1024 * 1024 });
  const piece = Buffer.alloc(256 * 1024);
  const send = () => {
    if (!client.destroyed) client.write(piece, () => setImmediate(send));
  };
  send();
  expect(await closed).toBeGreaterThan(8 * 1024 * 1024);
});

test("a client that sends a little for ever is cut off by the time", async () => {
  const { client, closed } = await openRefused({ ms: 500 });
  const dripping = setInterval(() => client.write("x"), 50);
  expect(await closed).toBeLessThan(1_000);
  clearInterval(dripping);
});

test("all of a body is read in turns, its memory is given back at once, and the connection ends with it", async () => {
  const { client, closed } = await openRefused({}, 20_000_000);
  const piece = Buffer.alloc(1_000_000);
  for (let n = 0; n < 20; n++) client.write(piece);
  expect(await closed).toBeGreaterThan(20_000_000);
  expect(dropped.length).toBeGreaterThan(100);
  expect(dropped.filter(({ length }) => length >= 16_384)).toHaveLength(0);
});

test("a client that leaves in the middle of its refused body ends nothing else", async () => {
  const { client, closed } = await openRefused({});
  client.write(Buffer.alloc(1_000_000));
  await vi.waitUntil(() => dropped.length > 0, PATIENT);
  client.resetAndDestroy();
  expect(await closed).toBeGreaterThan(0);
});
