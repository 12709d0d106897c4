// Messages to a real mail server and a real HTTP server.
import { createHmac } from "node:crypto";
import type { lookup } from "node:dns";
import { createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ChannelTarget } from "#core/notification/channel.ts";
import type { MessageContent } from "#core/notification/message.ts";
import { instant } from "#core/time/instant.ts";
import { authorityCertificate, certify } from "../../../test/support/certificates.ts";
import { type MailServer, startMailServer } from "../../../test/support/mail-server.ts";
import { type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { startUpgradingServer } from "../../../test/support/upgrading-server.ts";
import { createMessageSender, type MessageSenderSettings } from "./create-message-sender.ts";

let receiver: Receiver;
let mailServer: MailServer;
beforeAll(async () => {
  [receiver, mailServer] = await Promise.all([startReceiver(), startMailServer()]);
});
afterEach(() => {
  receiver.answer = (response) => void response.end();
  mailServer.onMail = () => {};
});
afterAll(async () => {
  await receiver.stop();
  await mailServer.stop();
});

const AT = instant(Date.UTC(2026, 10, 14, 11));
const SENT_AT = instant(Date.UTC(2026, 10, 14, 12, 0, 0, 999));
const CONTENT: MessageContent = {
  ...{ kind: "raised", site: "Anlage Süd", timezone: "Europe/Berlin", count: 0 },
  items: [
    {
      ...{ device: "Batterie 🔋\r\nBcc: all@example.com", deviceId: "d1", alertId: "hot", severity: "error" },
      ...{ name: "Zu heiß", text: "zeile\n.\nzeile", at: AT },
    },
  ],
};
const HIT = "[Fehler – Batterie 🔋 Bcc: all@example.com: Zu heiß (seit 14.11.2026, 12:00)]";

interface Sent extends Partial<MessageSenderSettings> {
  readonly secret?: string | undefined;
  readonly content?: MessageContent;
  readonly signal?: AbortSignal;
}

function send(target: ChannelTarget, { secret, content = CONTENT, signal, ...settings }: Sent = {}) {
  const sender = createMessageSender({
    allowPrivate: true,
    timeoutMs: 5_000,
    vapidSeed: Buffer.alloc(48),
    pushContact: "mailto:energy@plant.org",
    ...settings,
  });
  const channel = { siteId: "s1", target, language: "de", allowPrivate: false } as const;
  const message = { channel, secret, id: "m1", content, queuedAt: AT, sentAt: SENT_AT };
  return sender.send(message, signal ?? new AbortController().signal);
}

const mail = (fields: Partial<Extract<ChannelTarget, { kind: "mail" }>> = {}): ChannelTarget => ({
  ...{ kind: "mail", host: "127.0.0.1", port: mailServer.port, security: "none", username: undefined },
  ...{ from: "site@example.com", to: "anna@example.com", ...fields },
});

const bodyOf = (text: string) => {
  const [, body = ""] = text.split(/\r\n\r\n([\s\S]*)/);
  return Buffer.from(body, /base64/i.test(text.split("\r\n\r\n")[0] ?? "") ? "base64" : "utf8").toString("utf8");
};

test("a mail has title and text, and nothing of a name becomes a header or ends it", async () => {
  expect(await send(mail())).toEqual({ outcome: "taken" });
  const got = mailServer.mails.at(-1);
  expect([got?.from, got?.to]).toEqual(["site@example.com", ["anna@example.com"]]);
  expect(got?.headers.get("message-id")).toBe("<m1@example.com>");
  expect(got?.headers.get("auto-submitted")).toBe("auto-generated");
  expect(got?.headers.has("bcc")).toBe(false);
  const text = /quoted-printable/i.test(got?.headers.get("content-transfer-encoding") ?? "")
    ? decodeURIComponent(
        bodyOf(got?.text ?? "")
          .replaceAll(/=\r\n/g, "")
          .replaceAll("%", "%25")
          .replaceAll(/=([0-9A-F]{2})/g, "%$1"),
      )
    : bodyOf(got?.text ?? "");
  expect(`[${text.split("\n")[0]?.trim()}]`).toBe(HIT);
  expect(text).toContain("zeile . zeile");
});

test("a password goes over encryption only, and whoever vouches for the server has to be known", async () => {
  const { cert, key } = certify(["localhost"]);
  const secure = await startMailServer({
    ...{ cert, key, authOptional: false, allowInsecureAuth: false },
    onAuth: ({ username, password }, _session, done) =>
      username === "site" && password === "geheim" ? done(null, { user: username }) : done(new Error("no")),
  });
  onTestFinished(() => secure.stop());
  const target = mail({ host: "localhost", port: secure.port, security: "starttls", username: "site" });
  expect(await send(target, { secret: "geheim" })).toMatchObject({
    outcome: "refused",
    error: "the connection to the mail server broke, or its certificate cannot be trusted",
  });
  const ca = authorityCertificate();
  expect(await send(target, { secret: "wrong", ca })).toEqual({
    ...{ outcome: "refused", isFinal: true },
    error: "the mail server refuses name and password 535 to AUTH PLAIN",
  });
  expect(secure.mails).toEqual([]);
  expect(await send(target, { secret: "geheim", ca })).toEqual({ outcome: "taken" });
  expect(secure.mails).toMatchObject([{ user: "site", isSecure: true }]);
  // The other server offers none.
  const plain = mail({ host: "localhost", security: "starttls" });
  expect(await send(plain, { ca })).toMatchObject({ outcome: "refused" });
});

test.each([
  [450, false],
  [550, true],
])("a mail that the server answers with %i is refused; for good: %s", async (responseCode, isFinal) => {
  mailServer.onMail = () => {
    throw Object.assign(new Error("no: bb_secret"), { responseCode });
  };
  const error = `the mail server answered ${responseCode} to DATA`;
  expect(await send(mail())).toEqual({ outcome: "refused", error, isFinal });
});

test("a server that takes the mail and then says nothing may have it; one that breaks off before has not", async () => {
  const wait = Promise.withResolvers<void>();
  mailServer.onMail = () => wait.promise;
  expect(await send(mail(), { timeoutMs: 300 })).toEqual({ outcome: "unknown", error: "no answer in time" });
  wait.resolve();
  const steps = ["220 hi\r\n", "250 hi\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n"];
  for (const [broken] of steps.entries()) {
    const server = createServer((socket: Socket) => {
      let step = 0;
      const next = () => (step > broken ? socket.destroy() : socket.write(steps[step++] ?? ""));
      socket.on("error", () => {});
      socket.on("data", next);
      next();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { outcome } = await send(mail({ port }));
    expect([broken, outcome]).toEqual([broken, broken === 4 ? "unknown" : "refused"]);
  }
});

test("what a server sends has a limit", async () => {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    const flood = () => {
      while (!socket.destroyed && socket.write(`220-${"x".repeat(60_000)}\r\n`));
    };
    socket.on("drain", flood);
    flood();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  expect(await send(mail({ port }))).toMatchObject({ outcome: "refused" });
});

test("ntfy gets a topic, a title, a text and a priority, with its token", async () => {
  const target: ChannelTarget = { kind: "ntfy", server: receiver.url, topic: "plant" };
  expect(await send(target, { secret: "tk_1" })).toEqual({ outcome: "taken" });
  const { method, path, headers, body } = await receiver.next();
  expect([method, path, headers.authorization]).toEqual(["POST", "/", "Bearer tk_1"]);
  expect(body).toMatchObject({ topic: "plant", priority: 5, title: expect.stringContaining("Zu heiß – Anlage Süd") });
});

test("Telegram gets a text, and its token is in no failure", async () => {
  const target: ChannelTarget = { kind: "telegram", server: receiver.url, chat: "-42" };
  expect(await send(target, { secret: "1:token" })).toEqual({ outcome: "taken" });
  const { path, body } = await receiver.next();
  expect([path, body["chat_id"]]).toEqual(["/bot1:token/sendMessage", "-42"]);
  expect(body["text"]).toContain("Zu heiß");
  receiver.answer = (response) => void response.writeHead(429, { "Retry-After": "7" }).end("1:token");
  const refusal = { outcome: "refused", error: "answered 429", isFinal: false, retryAfterMs: 7_000 };
  expect(await send(target, { secret: "1:token" })).toEqual(refusal);
});

test("a webhook gets its items, signed over the body", async () => {
  const target: ChannelTarget = { kind: "webhook", url: `${receiver.url}/m?x=1` };
  expect(await send(target, { secret: "whsec_x" })).toEqual({ outcome: "taken" });
  const { path, headers, text, body } = await receiver.next(({ path }) => path.startsWith("/m"));
  expect(path).toBe("/m?x=1");
  expect(body).toMatchObject({
    id: "m1",
    kind: "message",
    message: "raised",
    severity: "error",
    items: [{ alert_id: "hot" }],
  });
  const [t = "", v1 = ""] = String(headers["x-busbar-signature"])
    .split(",")
    .map((part) => part.split("=")[1]);
  expect(v1).toBe(createHmac("sha256", "whsec_x").update(`${t}.${text}`).digest("hex"));
  expect(headers["x-busbar-delivery"]).toBe("m1");
});

test("an answer decides, and without one nobody knows; a connection that never was brought nothing", async () => {
  const target: ChannelTarget = { kind: "ntfy", server: receiver.url, topic: "plant" };
  for (const [status, isFinal] of [
    [302, false],
    [404, true],
    [503, false],
  ] as const) {
    receiver.answer = (response) => void response.writeHead(status).end();
    expect(await send(target)).toEqual({ outcome: "refused", error: `answered ${status}`, isFinal });
  }
  receiver.answer = (response) => void response.destroy();
  expect(await send(target)).toEqual({ outcome: "unknown", error: "the connection broke" });
  receiver.answer = () => {};
  expect(await send(target, { timeoutMs: 300 })).toEqual({ outcome: "unknown", error: "no answer in time" });
  const closed = await startReceiver();
  await closed.stop();
  const refused = { outcome: "refused", error: "the connection was refused", isFinal: false };
  expect(await send({ ...target, server: closed.url })).toEqual(refused);
  expect(await send(mail({ port: closed.port }))).toEqual(refused);
});

test("a server that switches to another protocol has answered, and nobody waits for it", async () => {
  const server = await startUpgradingServer();
  const result = await send({ kind: "ntfy", server, topic: "plant" });
  expect(result).toEqual({ outcome: "refused", error: "answered 101", isFinal: false });
});

test("private addresses are refused by every way, also behind a name, unless the channel may reach them", async () => {
  const lookUp = ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as typeof lookup;
  const targets = (host: string): readonly ChannelTarget[] => [
    mail({ host }),
    { kind: "ntfy", server: `http://${host}:${receiver.port}`, topic: "t" },
    { kind: "telegram", server: `http://${host}:${receiver.port}`, chat: "1" },
    { kind: "webhook", url: `http://${host}:${receiver.port}/` },
  ];
  const before = [receiver.received.length, mailServer.mails.length];
  for (const target of ["127.0.0.1", "0x7f.1", "localhost", "rebound.example"].flatMap(targets)) {
    const result = await send(target, { allowPrivate: false, lookUp, secret: "x" });
    expect(result).toMatchObject({ outcome: "refused", error: "the address is not a public one" });
  }
  expect([receiver.received.length, mailServer.mails.length]).toEqual(before);
  const sender = createMessageSender({
    allowPrivate: false,
    timeoutMs: 5_000,
    ...{ vapidSeed: Buffer.alloc(48), pushContact: "https://plant.org" },
    lookUp,
  });
  const allowed = {
    siteId: "s1",
    target: mail({ host: "rebound.example" }),
    language: "en",
    allowPrivate: true,
  } as const;
  const message = { channel: allowed, secret: undefined, id: "m2", content: CONTENT, queuedAt: AT, sentAt: SENT_AT };
  expect(await sender.send(message, new AbortController().signal)).toEqual({ outcome: "taken" });
});
