// Connections with TLS have the limits of all others, also before their handshake.
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { openBareServer, quick } from "../../test/support/bare-server.ts";
import { authorityCertificate, certify } from "../../test/support/certificates.ts";

const { cert, key } = certify(["127.0.0.1"]);
const certificate = { identity: { certificate: cert, privateKey: key }, listen: () => {} };
const ca = authorityCertificate();

function silent(port: number): Socket {
  const socket = connectPlain(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  return socket;
}

/** Sends requests one after the other on a connection; gives the status lines. */
async function ask(port: number, times: number): Promise<readonly string[]> {
  const socket = connect({ port, host: "127.0.0.1", ca });
  onTestFinished(() => void socket.destroy());
  await once(socket, "secureConnect");
  const lines: string[] = [];
  for (let call = 0; call < times; call += 1) {
    socket.write("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
    const [piece] = (await once(socket, "data")) as [Buffer];
    lines.push(piece.toString().split("\r\n")[0] ?? "");
  }
  return lines;
}

test("several calls share a connection", async () => {
  const { port } = await openBareServer([quick], { certificate });
  expect(await ask(port, 3)).toEqual(Array(3).fill("HTTP/1.1 200 OK"));
});

test.each([
  ["nothing gets no answer", "", ""],
  ["half a request gets 408", "GET /qu", "HTTP/1.1 408 Request Timeout"],
])("after its handshake a client that sends %s", async (_, sent, answer) => {
  const limits = { headersMs: 50, requestMs: 60, checkEveryMs: 10 };
  const { port } = await openBareServer([quick], { certificate, limits });
  const socket = connect({ port, host: "127.0.0.1", ca });
  let seen = "";
  socket.on("data", (piece) => (seen += piece.toString()));
  await once(socket, "secureConnect");
  socket.write(sent);
  await once(socket, "close");
  expect(seen.split("\r\n")[0]).toBe(answer);
});

test("connections that never finish their handshake give way to those that do", async () => {
  const { port } = await openBareServer([quick], { certificate, connectionsPerAddress: 4 });
  const waiting = Array.from({ length: 4 }, () => silent(port));
  await Promise.all(waiting.map((socket) => once(socket, "connect")));
  const closed = Promise.race(waiting.map((socket) => once(socket, "close")));
  expect(await ask(port, 1)).toEqual(["HTTP/1.1 200 OK"]);
  await closed;
});

test("who sends something else than TLS is disconnected, and the others are served", async () => {
  const { port } = await openBareServer([quick], { certificate });
  const socket = silent(port);
  socket.write("GET /quick HTTP/1.1\r\n\r\n");
  socket.resume();
  await once(socket, "close");
  expect(await ask(port, 1)).toEqual(["HTTP/1.1 200 OK"]);
});

test("a client that leaves during its handshake is let go at once", { timeout: 8_000 }, async () => {
  const { port } = await openBareServer([quick], { certificate });
  const socket = silent(port);
  // The beginning of a handshake.
  socket.end(Buffer.from("160301020001", "hex"));
  socket.resume();
  await once(socket, "close");
});

test("a stop ends idle connections and those without a handshake", async () => {
  const { server, port } = await openBareServer([quick], { certificate });
  const socket = silent(port);
  await once(socket, "connect");
  await ask(port, 1);
  const closed = once(socket, "close");
  await server.stop();
  await closed;
});
