import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { boundPipelining } from "./bound-pipelining.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** A server that keeps its answers until asked, and a connection to it. */
async function open() {
  const answers: ServerResponse[] = [];
  const server = createServer((_request, response) => void answers.push(response));
  boundPipelining(server);
  let read = 0;
  server.on("request", () => read++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const another = () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const socket = another();
  let received = "";
  socket.on("data", (part) => {
    received += part.toString();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { answers, socket, answered: () => received.split("HTTP/1.1 200").length - 1, read: () => read, another };
}

test("requests one behind the other are answered one after the other, again and again", async () => {
  const { answers, socket, answered } = await open();
  for (const round of [1, 2, 3]) {
    socket.write(REQUEST.repeat(16));
    for (let n = 1; n <= 16; n++) {
      await expect.poll(() => answers.length, { interval: 1 }).toBe(1);
      answers.pop()?.end("yes");
      await expect.poll(answered, { interval: 1 }).toBe(16 * (round - 1) + n);
    }
  }
});

test("a connection with more unanswered requests is closed; one of them was begun, and those beyond the limit were not even read", async () => {
  const { answers, socket, read } = await open();
  socket.write(REQUEST.repeat(500));
  await once(socket, "close");
  expect(answers).toHaveLength(1);
  expect(read()).toBe(17);
});

test("a connection that takes over the parser of a closed one is served", async () => {
  const { answers, socket, another } = await open();
  socket.write(REQUEST.repeat(500));
  await once(socket, "close");
  answers.length = 0;
  const next = another();
  next.write(REQUEST);
  await expect.poll(() => answers.length).toBe(1);
});
