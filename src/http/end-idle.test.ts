import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { endIdle } from "./end-idle.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

async function openConnection() {
  const server = createServer((_request, response) => response.end("here"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const [stream] = (await once(server, "connection")) as [Socket];
  return { server, client, stream };
}

test("a request that meets the end of its idle connection finds an end, and no reset", async () => {
  const { server, client, stream } = await openConnection();
  client.write(REQUEST);
  await once(client, "data");
  const outcome = new Promise((resolve) => client.once("end", () => resolve("end")).once("error", resolve));
  // The system has it by now, and the server has not read it.
  client.write(REQUEST);
  endIdle(server, [stream]);
  client.resume();
  expect(await outcome).toBe("end");
});

test("a connection with a request under way stays", async () => {
  const { server, client, stream } = await openConnection();
  client.write(REQUEST.slice(0, 10));
  await once(stream, "data");
  endIdle(server, [stream]);
  client.write(REQUEST.slice(10));
  const [answer] = await once(client, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
});
