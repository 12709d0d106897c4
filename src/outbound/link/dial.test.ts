import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startUpgradingServer } from "../../../test/support/upgrading-server.ts";
import { guardedLookup } from "./allowed-address.ts";
import { createDial } from "./dial.ts";

const REQUEST = { code: "c", name: "n", version: "1" };
const anywhere = createDial(() => true);
const careful = createDial(() => false);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  "http://127.0.0.1:1",
  "http://localhost:1",
  "http://[::1]:1",
  "http://0.0.0.0:1",
  "http://2130706433:1",
  "http://[::ffff:127.0.0.1]:1",
  "http://169.254.1.1",
  "http://169.254.169.254/latest",
  "http://[fe80::1]",
  "http://224.0.0.1",
])("without the setting no cloud is looked for at %s", async (url) => {
  await expect(careful.askCloud(url, REQUEST)).rejects.toThrow("set link.allow_local");
  const opening = careful.openLinkSocket(url, "c", new AbortController().signal);
  await expect(opening).rejects.toThrow("set link.allow_local");
});

test("with the setting, services that hand out keys are still not reached", async () => {
  await expect(anywhere.askCloud("http://169.254.169.254", REQUEST)).rejects.toThrow("a special one");
});

test.each([
  ["10.1.2.3", true],
  ["8.8.8.8", true],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
])("a name that leads to %s is followed: %s", async (address, isFollowed) => {
  const lookUp = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address, family: 4 }])) as never;
  const found = await new Promise<string>((resolve) =>
    guardedLookup(false, lookUp)("cloud.example", {}, (error, first) => resolve(error === null ? String(first) : "")),
  );
  expect(found).toBe(isFollowed ? address : "");
});

test("an endless answer is read no further than its limit", async () => {
  let sent = 0;
  const url = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(64 * 1024, 32);
    const write = () => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on("drain", write);
    write();
  });
  await expect(anywhere.askCloud(url, REQUEST)).rejects.toThrow("does not answer like a Busbar cloud");
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test.each([
  [200, "SECRET", "does not answer like a Busbar cloud"],
  [403, '{"errors":[{"message":"SECRET"}]}', "refuses the gateway: status 403"],
  [403, '{"errors":[{"code":"SECRET","message":"SECRET"}]}', "refuses the gateway: status 403"],
  [401, '{"errors":[{"code":"unauthorized","message":"the code is unknown"}]}', "the code is unknown"],
  [201, '{"gateway_id":"g","credential":"c"}', "refuses the gateway: status 201"],
  [300, "SECRET", "redirects to another address"],
  [302, "SECRET", "redirects to another address"],
  [399, "SECRET", "redirects to another address"],
  [400, "SECRET", "refuses the gateway: status 400"],
  [200, '{"gateway_id":"SECRET"}', "does not answer like a Busbar cloud"],
  [200, '{"credential":"SECRET"}', "does not answer like a Busbar cloud"],
  [200, `{"gateway_id":"g","credential":"SECRET${"x".repeat(495)}"}`, "does not answer like a Busbar cloud"],
])("of an answer %i %s the caller hears: %s", async (status, body, words) => {
  const url = await serve((_request, response) => void response.writeHead(status, { location: "/SECRET" }).end(body));
  const error = await anywhere.askCloud(url, REQUEST).catch((one: unknown) => one);
  expect(String(error)).toContain(words);
  expect(String(error)).not.toContain("SECRET");
});

test("a server that switches to another protocol has answered, and nobody waits for it", async () => {
  await expect(anywhere.askCloud(await startUpgradingServer(), REQUEST)).rejects.toThrow("status 101");
});

test("what a cloud answers counts when it is complete", async () => {
  const credential = "c".repeat(500);
  const url = await serve((_request, response) => void response.end(JSON.stringify({ gateway_id: "g", credential })));
  expect(await anywhere.askCloud(url, REQUEST)).toEqual({ gatewayId: "g", credential });
});
