// Messages to real endpoints, also hostile ones.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MessageContent } from "#core/notification/message.ts";
import { renderSubscriptions } from "#core/notification/push.ts";
import { instant } from "#core/time/instant.ts";
import { type Browser, checkVapid, type PushService, startPushService } from "../../../test/support/push-service.ts";
import { createMessageSender, type MessageSenderSettings } from "./create-message-sender.ts";
import { VAPID_SEED_BYTES } from "./push-crypto.ts";

let service: PushService;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => service.stop());

const AT = instant(Date.UTC(2026, 10, 14, 12));
const item = (name: string) => ({
  ...{
    device: "Battery",
    deviceId: "d 1",
    alertId: "hot/1",
    severity: "error" as const,
    name,
    text: undefined,
    at: AT,
  },
});
const CONTENT: MessageContent = { kind: "raised", site: "Plant", timezone: "UTC", count: 0, items: [item("Too hot")] };
const settings = {
  ...{ allowPrivate: true, timeoutMs: 5_000, vapidSeed: Buffer.alloc(VAPID_SEED_BYTES, 1) },
  pushContact: "mailto:energy@plant.org",
};

interface Sent extends Partial<MessageSenderSettings> {
  readonly content?: MessageContent;
}

function send(browsers: readonly Browser[], { content = CONTENT, ...more }: Sent = {}) {
  const devices = browsers.map((_, index) => ({ id: `p${index}`, name: "Phone", service: "h", createdAt: AT }));
  const secret = renderSubscriptions(new Map(browsers.map(({ subscription }, index) => [`p${index}`, subscription])));
  const target = { kind: "push", person: "anna", devices } as const;
  const channel = { siteId: "s1", target, language: "en", allowPrivate: false } as const;
  const message = { channel, secret, id: "01a1ddf7-8b99-7e1f-9fda-e19f6daec0e1", content, queuedAt: AT, sentAt: AT };
  return createMessageSender({ ...settings, ...more }).send(message, new AbortController().signal);
}

test("each device gets the message, and can read it; the push service cannot", async () => {
  const [phone, desk] = [service.browser(), service.browser()];
  expect(await send([phone, desk])).toEqual({ outcome: "taken" });
  for (const { messages } of [phone, desk]) {
    expect(messages.map(({ json }) => json)).toEqual([
      {
        id: "01a1ddf7-8b99-7e1f-9fda-e19f6daec0e1",
        ...{ kind: "raised", severity: "error", title: "Error: Battery: Too hot – Plant", at: AT },
        text: expect.stringContaining("Too hot"),
        open: "/sites/s1/alerts?alert=hot%2F1&alert_device=d%201",
      },
    ]);
    const { headers, body } = messages[0] ?? expect.fail("no message");
    expect(headers).toMatchObject({
      ...{ "content-encoding": "aes128gcm", ttl: "86400", urgency: "high", topic: "01a1ddf78b997e1f9fdae19f6daec0e1" },
    });
    expect(body.includes("Battery")).toBe(false);
    expect(checkVapid(headers.authorization).claims["aud"]).toBe(service.url);
  }
});

test.each([
  ["rule", [item("a")], "/sites/s1/notifications"],
  ["raised", [item("a"), item("b")], "/sites/s1/alerts"],
  ["over", [item("a")], "/sites/s1/alerts?alert=hot%2F1&alert_device=d%201&active=false"],
  ["test", [], "/sites/s1/alerts"],
] as const)("a message of kind %s opens its screen", async (kind, items, open) => {
  const phone = service.browser();
  await send([phone], { content: { ...CONTENT, kind, items } });
  expect(phone.messages[0]?.json["open"]).toBe(open);
});

test("the longest message fits, whatever it is made of", async () => {
  const phone = service.browser();
  for (const character of ["汉", "🔋", '"', "\\", "\ud800", "\u0001"]) {
    const name = character.repeat(5_000);
    const content = { ...CONTENT, site: name, items: [{ ...item(name), deviceId: "d", alertId: "a", device: name }] };
    expect(await send([phone], { content })).toEqual({ outcome: "taken" });
  }
  expect(Math.max(...phone.messages.map(({ body }) => body.length))).toBeLessThanOrEqual(4_096);
});

describe("what becomes of a message", () => {
  const answering = (status: number, headers: Record<string, string> = {}): Browser => {
    const browser = service.browser();
    browser.answer = (response) => void response.writeHead(status, headers).end();
    return browser;
  };

  test("whoever has it on one device has been told", async () => {
    expect(await send([answering(500), service.browser()])).toEqual({ outcome: "taken" });
  });

  test.each([404, 410])("a device whose subscription is over is named (%i)", async (status) => {
    expect(await send([answering(status), service.browser()])).toEqual({ outcome: "taken", gone: ["p0"] });
    expect(await send([answering(status)])).toEqual({
      ...{ outcome: "refused", error: `answered ${status}`, isFinal: true, gone: ["p0"] },
    });
  });

  test("a push service that asks for a pause gets it, and nothing is given up for it", async () => {
    expect(await send([answering(429, { "Retry-After": "120" })])).toEqual({
      ...{ outcome: "refused", error: "answered 429", isFinal: false, retryAfterMs: 120_000 },
    });
  });

  test("no device: refused, and no reason to wait", async () => {
    expect(await send([])).toMatchObject({ outcome: "refused", isFinal: true });
  });
});

describe("a hostile endpoint", () => {
  test("a redirect is not followed", async () => {
    const [phone, other] = [service.browser(), service.browser()];
    phone.answer = (response) => void response.writeHead(307, { Location: other.subscription.endpoint }).end();
    expect(await send([phone])).toMatchObject({ outcome: "refused", error: "answered 307" });
    expect(other.messages).toEqual([]);
  });

  test("an answer without end is cut off, and its status counts", async () => {
    const phone = service.browser();
    const closed = Promise.withResolvers<void>();
    phone.answer = (response) => {
      response.writeHead(201);
      const flood = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", flood).on("close", () => closed.resolve());
      flood();
    };
    expect(await send([phone])).toEqual({ outcome: "taken" });
    await closed.promise;
  });

  test("one that never answers ends with the time, and the message may have arrived", async () => {
    const phone = service.browser();
    phone.answer = () => {};
    expect(await send([phone], { timeoutMs: 300 })).toEqual({ outcome: "unknown", error: "no answer in time" });
  });

  test.each([
    ["http://push.example/a", "endpoint must be an https:// address"],
    ["https://127.0.0.1/a", "endpoint: the address is not a public one"],
    ["https://[::1]/a", "endpoint: the address is not a public one"],
    ["https://169.254.169.254/latest", "endpoint: the address is not a public one"],
    ["https://a:b@push.example/", "endpoint must not carry a name or password"],
    ["file:///etc/passwd", "endpoint must be an http:// or https:// address"],
    ["nonsense", "endpoint must be an http:// or https:// address"],
  ])("%s is refused when it is entered, and when something goes out", async (endpoint, error) => {
    const sender = createMessageSender({ ...settings, allowPrivate: false });
    const phone = { ...service.browser(), subscription: { ...service.browser().subscription, endpoint } };
    expect(sender.problemWithSubscription(phone.subscription)).toBe(error);
    expect(await send([phone], { allowPrivate: false })).toMatchObject({ outcome: "refused", error });
  });

  test("a name that leads to a private address is not connected to", async () => {
    const { port } = new URL(service.url);
    const phone = service.browser();
    const path = new URL(phone.subscription.endpoint).pathname;
    const lookUp = ((_: string, __: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: "127.0.0.1", family: 4 }])) as never;
    const endpoint = `https://push.example:${port}${path}`;
    const hostile = { ...phone, subscription: { ...phone.subscription, endpoint } };
    expect(await send([hostile], { allowPrivate: false, lookUp })).toMatchObject({
      ...{ outcome: "refused", error: "the address is not a public one" },
    });
    expect(phone.messages).toEqual([]);
  });
});
