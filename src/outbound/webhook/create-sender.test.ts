import { createHmac } from "node:crypto";
import type { lookup } from "node:dns";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { Delivery } from "#core/webhook/webhook.ts";
import { type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { startUpgradingServer } from "../../../test/support/upgrading-server.ts";
import { createSender, type SenderSettings } from "./create-sender.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(() => {
  receiver.answer = (response) => void response.end();
});
afterAll(() => receiver.stop());

const SENT_AT = instant(Date.UTC(2026, 10, 14, 12, 0, 0, 999));
const DELIVERY: Delivery = {
  id: "d1",
  webhookId: "w1",
  kind: "alert",
  occurredAt: instant(Date.UTC(2026, 10, 14, 11)),
  event: '{"site_id":"s1","change":"raised","text":"Größe 🔋"}',
  state: "PENDING",
  attempts: 0,
  queuedAt: SENT_AT,
  nextAttemptAt: SENT_AT,
  giveUpAt: SENT_AT,
  status: undefined,
  error: undefined,
  finishedAt: undefined,
};

function send(url: string, settings: Partial<SenderSettings> = {}, signal = new AbortController().signal) {
  const sender = createSender({ allowPrivate: true, timeoutMs: 5_000, ...settings });
  return sender.send({ url, secret: "whsec_x", delivery: DELIVERY, sentAt: SENT_AT }, signal);
}

/** A resolver that gives these addresses for every name. */
function resolver(...addresses: readonly string[]): { readonly lookUp: typeof lookup; readonly asked: string[] } {
  const asked: string[] = [];
  const lookUp = (name: string, _options: object, callback: (error: null, found: object[]) => void) => {
    asked.push(name);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { lookUp: lookUp as unknown as typeof lookup, asked };
}

test("the receiver gets the event with what identifies and proves it", async () => {
  expect(await send(`${receiver.url}/hook?x=1`)).toEqual({ status: 200, error: undefined });
  const { path, method, headers, text, body } = await receiver.next();
  expect([method, path]).toEqual(["POST", "/hook?x=1"]);
  expect(body).toEqual({
    id: "d1",
    kind: "alert",
    occurred_at: "2026-11-14T11:00:00.000Z",
    site_id: "s1",
    change: "raised",
    text: "Größe 🔋",
  });
  const seconds = Math.floor(SENT_AT / 1000);
  const v1 = createHmac("sha256", "whsec_x").update(`${seconds}.${text}`).digest("hex");
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "x-busbar-delivery": "d1",
    "x-busbar-signature": `t=${seconds},v1=${v1}`,
  });
});

test.each([
  [200, undefined],
  [204, undefined],
  [299, undefined],
  [301, "answered 301"],
  [307, "answered 307"],
  [404, "answered 404"],
  [500, "answered 500"],
])("an answer %i means %s", async (status, error) => {
  receiver.answer = (response) => void response.writeHead(status, { Location: `${receiver.url}/elsewhere` }).end();
  expect(await send(receiver.url)).toEqual({ status, error });
});

test("a redirect is not followed", async () => {
  const before = receiver.received.length;
  receiver.answer = (response) => void response.writeHead(302, { Location: `${receiver.url}/elsewhere` }).end();
  await send(receiver.url);
  await send(receiver.url);
  expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(["/", "/"]);
});

test("an answer without end costs nothing", async () => {
  const closed = Promise.withResolvers<void>();
  receiver.answer = (response) => {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", pour);
    response.on("close", closed.resolve);
    pour();
  };
  expect(await send(receiver.url)).toEqual({ status: 200, error: undefined });
  await closed.promise;
});

test("a receiver that does not answer is given up in time", async () => {
  receiver.answer = () => {};
  expect(await send(receiver.url, { timeoutMs: 50 })).toEqual({ status: undefined, error: "no answer in time" });
});

test("a server that switches to another protocol has answered, and nobody waits for it", async () => {
  expect(await send(await startUpgradingServer())).toEqual({ status: 101, error: "answered 101" });
});

test("a stop breaks an attempt off", async () => {
  receiver.answer = () => {};
  const stopping = new AbortController();
  const sent = send(receiver.url, {}, stopping.signal);
  await receiver.next(({ path }) => path === "/");
  stopping.abort();
  expect((await sent).error).toBe("broken off: the service stops");
});

test("what cannot be reached is explained in words", async () => {
  const gone = await startReceiver();
  await gone.stop();
  expect((await send(gone.url)).error).toBe("the connection was refused");
  expect((await send("http://does-not-exist.invalid/")).error).toMatch(/^the name cannot be resolved/);
  expect((await send(receiver.url.replace("http:", "https:"))).error).toMatch(/^the connection (failed|broke)/);
});

test.each(["http://127.0.0.1:9/", "http://[::1]:9/", "http://localhost:9/", "http://2130706433/", "http://10.0.0.1/"])(
  "%s is refused before anything is connected",
  async (url) => {
    const sender = createSender({ allowPrivate: false, timeoutMs: 100 });
    expect(sender.problemWith(new URL(url))).toBe("the address is not a public one");
    expect(await send(url, { allowPrivate: false })).toEqual({
      status: undefined,
      error: "the address is not a public one",
    });
    expect(createSender({ allowPrivate: true, timeoutMs: 100 }).problemWith(new URL(url))).toBeUndefined();
  },
);

test("a name that resolves to a private address is refused at the connection", async () => {
  const before = receiver.received.length;
  const { lookUp, asked } = resolver("127.0.0.1", "::1", "fe80::1");
  const sender = createSender({ allowPrivate: false, timeoutMs: 100, lookUp });
  expect(sender.problemWith(new URL("http://inside.example/"))).toBeUndefined();
  const url = `http://inside.example:${receiver.port}/`;
  expect((await send(url, { allowPrivate: false, lookUp })).error).toBe("the address is not a public one");
  expect([asked, receiver.received.length]).toEqual([["inside.example"], before]);
});

test("the connection goes to the address that was looked up, once", async () => {
  const { lookUp, asked } = resolver("127.0.0.1");
  expect(await send(`http://receiver.example:${receiver.port}/`, { lookUp })).toEqual({
    status: 200,
    error: undefined,
  });
  expect(asked).toEqual(["receiver.example"]);
});
