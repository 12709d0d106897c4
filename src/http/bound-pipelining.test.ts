import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { boundPipelining } from "./bound-pipelining.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A server that keeps its answers until told, and a connection to it. */
async function open() {
  const answers: ServerResponse[] = [];
  const server = createServer((_request, response) => void answers.push(response));
  boundPipelining(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  let received = "";
  socket.on("data", (part) => {
    received += part.toString();
  });
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { answers, socket, answered: () => received.split("HTTP/1.1 200").length - 1 };
}

test("some requests one behind the other are all answered, again and again", async () => {
  const { answers, socket, answered } = await open();
  for (const round of [1, 2, 3]) {
    socket.write(REQUEST.repeat(16));
    await expect.poll(() => answers.length).toBe(16);
    for (const answer of answers.splice(0)) answer.end("yes");
    await expect.poll(answered).toBe(16 * round);
  }
});

test("a connection with more unanswered requests is closed, and those beyond the limit are not begun", async () => {
  const { answers, socket } = await open();
  socket.write(REQUEST.repeat(500));
  await once(socket, "close");
  expect(answers).toHaveLength(16);
});
