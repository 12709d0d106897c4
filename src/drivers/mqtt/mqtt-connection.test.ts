import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { Aedes } from "aedes";
import { expect, onTestFinished, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { createReach } from "#drivers/net/create-reach.ts";
import { realTimers } from "#drivers/timers.ts";
import { openSiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import { reachRules, startDrivers } from "../../../test/support/drivers.ts";
import { createMqttConnection } from "./mqtt-connection.ts";

async function startBroker(port = 0) {
  const broker = await Aedes.createBroker();
  broker.authenticate = (_client, username, password, done) =>
    done(null, username !== "eve" || String(password) === "right");
  broker.authorizeSubscribe = (_client, subscription, done) =>
    done(null, subscription.topic === "secret" ? null : subscription);
  const server: Server = createServer(broker.handle);
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    server.close();
    await new Promise<void>((resolve) => {
      broker.close(resolve);
    });
  };
  onTestFinished(stop);
  const at = (server.address() as AddressInfo).port;
  return { broker, port: at, url: `mqtt://127.0.0.1:${at}`, stop };
}

const options = (fields: Readonly<Record<string, LuaValue>>) => new Map(Object.entries(fields));
const message = (topic: string, payload: string) => new Map(Object.entries({ topic, payload }));

function client(...allow: readonly string[]) {
  const { drivers } = startDrivers(...allow);
  return async (name: string, ...args: readonly LuaValue[]) => await drivers.call(`mqtt.${name}`, args);
}

test("what is published arrives, byte by byte, and is taken once", async () => {
  const { url } = await startBroker();
  const call = client("127.0.0.1");
  const [handle] = await call("open", url);
  expect(await call("subscribe", handle, "plant/+/power", options({ qos: 1 }))).toEqual([]);
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("latin1");
  expect(await call("publish", handle, "plant/a/power", every, options({ qos: 1 }))).toEqual([]);
  expect(await call("publish", handle, "plant/a/other", "no", options({ qos: 1 }))).toEqual([]);
  expect(await call("publish", handle, "plant/b/power", "", options({ qos: 1 }))).toEqual([]);
  const seen: LuaValue[] = [];
  await expect
    .poll(async () => {
      const [messages] = await call("take", handle);
      seen.push(...((messages ?? []) as readonly LuaValue[]));
      return seen;
    })
    .toEqual([message("plant/a/power", every), message("plant/b/power", "")]);
  expect(await call("is_connected", handle)).toEqual([true]);
  expect(await call("unsubscribe", handle, "plant/+/power")).toEqual([]);
});

test("without room the oldest messages go, and are counted", async () => {
  const { url, broker } = await startBroker();
  const call = client("127.0.0.1");
  const [handle] = await call("open", url);
  await call("subscribe", handle, "#");
  for (let at = 0; at < 300; at++)
    await new Promise<void>((resolve, reject) => {
      const packet = { cmd: "publish", topic: "t", payload: String(at), qos: 0, retain: false, dup: false } as const;
      broker.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  // An answer to this comes after all of them.
  await call("publish", handle, "end", "", options({ qos: 1 }));
  const [messages] = await call("take", handle);
  expect((messages as readonly LuaValue[]).length).toBeLessThanOrEqual(256);
  const [dropped] = await call("drops", handle);
  expect(dropped).toBeGreaterThanOrEqual(44);
  expect(await call("drops", handle)).toEqual([0]);
});

test("a broker that goes away and returns has its client and subscriptions again", async () => {
  const first = await startBroker();
  const call = client("127.0.0.1");
  const [handle] = await call("open", first.url);
  await call("subscribe", handle, "t", options({ qos: 1 }));
  await first.stop();
  await expect.poll(async () => await call("is_connected", handle)).toEqual([false]);
  expect(await call("publish", handle, "t", "x", options({ timeout: 50 }))).toEqual([
    undefined,
    expect.stringMatching(/the connection was refused|closed the connection/),
  ]);
  await startBroker(first.port);
  expect(await call("publish", handle, "t", "again", options({ qos: 1, timeout: 20_000 }))).toEqual([]);
  await expect.poll(async () => (await call("take", handle))[0]).toEqual([message("t", "again")]);
});

test("the same address and options are the same client; a device has so many and no more", async () => {
  const { url, broker } = await startBroker();
  const call = client("127.0.0.1");
  const [first] = await call("open", url, options({ username: "a" }));
  expect(await call("open", url, options({ username: "a" }))).toEqual([first]);
  await call("publish", first, "t", "", options({ qos: 1 }));
  expect(broker.connectedClients).toBe(1);
  for (const username of ["b", "c", "d"]) await call("open", url, options({ username }));
  expect(await call("open", url, options({ username: "e" }))).toEqual([
    undefined,
    "a device has 4 MQTT clients at most",
  ]);
});

test.each<[string, readonly string[], string]>([
  ["mqtt://127.0.0.1:1", ["private"], "127.0.0.1:1 is not allowed for this device"],
  ["http://127.0.0.1:1", ["127.0.0.1"], '"http://127.0.0.1:1" is no address such as mqtt://'],
  ["mqtt://", ["127.0.0.1"], "is no address such as"],
  ["nonsense", ["127.0.0.1"], "is no address such as"],
])("%s with %j cannot be opened: %s", async (url, allow, problem) => {
  expect(await client(...allow)("open", url)).toEqual([undefined, expect.stringContaining(problem)]);
});

test("a name that leads where the device may not go is refused with the first call", async () => {
  const { port } = await startBroker();
  const call = client("private");
  const [handle] = await call("open", `mqtt://localhost:${port}`);
  expect(await call("publish", handle, "t", "x", options({ timeout: 1500 }))).toEqual([
    undefined,
    expect.stringContaining("is not allowed for this device"),
  ]);
});

test("a broker that refuses says why", async () => {
  const { url } = await startBroker();
  const call = client("127.0.0.1");
  const [eve] = await call("open", url, options({ username: "eve", password: "wrong" }));
  expect(await call("publish", eve, "t", "x", options({ timeout: 1500 }))).toEqual([
    undefined,
    expect.stringMatching(/Not authorized|Bad username/i),
  ]);
  const [handle] = await call("open", url, options({ username: "eve", password: "right" }));
  expect(await call("subscribe", handle, "secret")).toEqual([
    undefined,
    expect.stringMatching(/refuses the subscription|Unspecified error/),
  ]);
});

test.each<[string, readonly LuaValue[], string]>([
  ["publish", ["a/+", "x"], '"a/+" is no topic to publish to'],
  ["publish", ["", "x"], '"" is no topic to publish to'],
  ["publish", ["t", undefined], "payload must be a string, got nil"],
  ["publish", ["t", "x", options({ qos: 2 })], "qos must be an integer from 0 to 1, got 2"],
  ["subscribe", ["a/#/b"], '"a/#/b" is no topic filter'],
  ["subscribe", ["a+/b"], '"a+/b" is no topic filter'],
])("%s %j says: %s", async (name, args, problem) => {
  const { url } = await startBroker();
  const call = client("127.0.0.1");
  const [handle] = await call("open", url);
  expect(await call(name, handle, ...args)).toEqual([undefined, problem]);
});

test("over TLS a certificate that nobody vouches for is refused, unless the client takes any", async () => {
  const { broker } = await startBroker();
  const folder = mkdtempSync(join(tmpdir(), "busbar-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { privateKey, certificate } = openSiteAuthority(folder, () => instant(Date.now())).serverIdentity([
    "localhost",
  ]);
  const server = createTlsServer({ key: privateKey, cert: certificate }, broker.handle);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const call = client("127.0.0.1", "localhost");
  const url = `mqtts://localhost:${(server.address() as AddressInfo).port}`;
  const [careful] = await call("open", url);
  expect(await call("publish", careful, "t", "x", options({ timeout: 1500 }))).toEqual([
    undefined,
    expect.stringContaining("TLS failed: "),
  ]);
  const [careless] = await call("open", url, options({ insecure_tls: true }));
  expect(await call("publish", careless, "t", "x", options({ qos: 1 }))).toEqual([]);
});

test("a broker that acknowledges nothing does not use up the ids of messages", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(Buffer.of(0x20, 2, 0, 0))).resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const login = { isTls: false, isInsecure: false, clientId: undefined, username: undefined, password: undefined };
  const reach = createReach({ rules: () => reachRules("127.0.0.1") });
  const wire = createMqttConnection(
    { reach, timers: realTimers, inboxes: createByteBudget("inboxes", 1e9) },
    { host: "127.0.0.1", port, ...login },
  );
  await expect.poll(() => wire.isConnected()).toBe(true);
  const message = { topic: "t", payload: new Uint8Array(), qos: 1, retain: false } as const;
  const [first, ...others] = Array.from({ length: 65 }, () => wire.publish(message, 60_000));
  await expect(first).rejects.toThrow("has acknowledged none of the last 64");
  wire.close();
  for (const other of others) await expect(other).rejects.toThrow("the connection was closed");
});

test("a server that does not speak MQTT is reported as that", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const call = client("127.0.0.1");
  const [handle] = await call("open", `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await call("publish", handle, "t", "x", options({ timeout: 1500 }))).toEqual([
    undefined,
    expect.stringContaining("the broker does not speak MQTT 3.1.1"),
  ]);
});

test.each([
  ["a length that no memory has room for", "30ffffff7f", "a message is longer than 1048576 bytes"],
  ["a topic that is longer than its packet", "3003ffff00", "does not speak MQTT 3.1.1"],
  ["a topic that reaches into the next packet", "30030004740000d000", "does not speak MQTT 3.1.1"],
  ["an id in the next packet", "3203000174d000", "does not speak MQTT 3.1.1"],
  ["QoS 2, which nobody asked for", "3405000174000a", "does not speak MQTT 3.1.1"],
  ["a second answer to CONNECT", "20020000", "refused with code 130"],
])("a broker that sends %s loses its client, and the call says why", async (_, bytes, problem) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(Buffer.from(`20020000${bytes}`, "hex"))).resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const call = client("127.0.0.1");
  const [handle] = await call("open", `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await call("publish", handle, "t", "x", options({ qos: 1, timeout: 5000 }))).toEqual([
    undefined,
    expect.stringContaining(problem),
  ]);
});
