// How people are reached: channels of a site, their secrets, and the test message.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NotificationChannel } from "#client/resources.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const SECRET = "tk_verysecret";

let site: string;
let base: string;
let receiver: Receiver;
let mailServer: MailServer;
beforeAll(async () => {
  [receiver, mailServer] = await Promise.all([startReceiver(), startMailServer()]);
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Plant" })).body.site.id;
  base = `/v3/sites/${site}/notifications/channels`;
});
afterAll(async () => {
  await receiver.stop();
  await mailServer.stop();
});

const make = async (body: object) =>
  (await busbar.admin.post<{ channel: NotificationChannel; secret: string | null }>(base, body)).body;
const owner = async () => busbar.as(await busbar.token({ name: "Owner", level: "owner", site_ids: [site] }));
type Problems = { errors: readonly { code: string; message: string; details?: { pointer?: string } }[] };

test("a channel is made, read, listed, changed and deleted, and its secret is never shown", async () => {
  const ntfy = { topic: "plant", token: SECRET };
  const anna = await owner();
  const made = await anna.post<{ channel: NotificationChannel }>(base, { name: "Phone", ntfy });
  expect(made.body).toMatchObject({
    channel: { name: "Phone", kind: "ntfy", ntfy: { server: "https://ntfy.sh", topic: "plant" }, has_secret: true },
    secret: null,
  });
  const { id } = made.body.channel;
  const read = await anna.get<{ channel: NotificationChannel }>(`${base}/${id}`);
  expect(read.body.channel).toEqual(made.body.channel);
  // The token stays at its server, and goes to no other one.
  const changed = await anna.call<{ channel: NotificationChannel }>("PUT", `${base}/${id}`, {
    json: { name: "Phone 2", ntfy: { topic: "other" }, language: "de", quiet: { calendar: "night", except: "error" } },
  });
  expect(changed.body.channel).toMatchObject({ name: "Phone 2", language: "de", has_secret: true });
  const moved = await anna.call<{ channel: NotificationChannel }>("PUT", `${base}/${id}`, {
    json: { name: "Phone 2", ntfy: { server: "https://ntfy.example", topic: "other" } },
  });
  expect(moved.body.channel).toMatchObject({ has_secret: false, quiet: null });
  const audit = await busbar.admin.get(`/v3/audit?limit=1000`);
  for (const { text } of [made, read, changed, moved, audit, await anna.get(base)]) expect(text).not.toContain(SECRET);
  expect(audit.text).toContain("createNotificationChannel");
  expect((await anna.call("DELETE", `${base}/${id}`)).status).toBe(200);
  expect((await anna.get(`${base}/${id}`)).status).toBe(404);
});

test.each([
  [{}, ["exactly one of mail, ntfy, telegram and webhook says where messages go"]],
  [{ ntfy: { topic: "t" }, webhook: { url: "https://a.example" } }, ["exactly one of"]],
  [
    { mail: { host: "a b", port: 6379, security: "none", username: "u", from: "x y", to: "a@b.c>\r\nRCPT TO:<d@e.f" } },
    ["mail.host", "mail.port", "mail.from", "mail.to", "mail.security", "mail.password is missing"],
  ],
  [{ telegram: { chat: "1" } }, ["telegram.token is missing"]],
  [{ telegram: { chat: "1", token: "x/../y" } }, ["telegram.token must be the token of a bot"]],
  [{ ntfy: { topic: "t", token: "a\r\nX: y" } }, ["ntfy.token must be printable"]],
  [{ ntfy: { topic: "t", server: "file:///etc" } }, ["ntfy.server must be an http"]],
  [{ ntfy: { topic: "t", server: "http://ntfy.example", token: "x" } }, ["ntfy.server must be https:// with a token"]],
  [
    { telegram: { chat: "1", server: "http://t.example", token: "1:AAAAAAAAAAAAAAAAAAAAAAAA" } },
    ["telegram.server must be https://"],
  ],
  [{ webhook: { url: "http://127.0.0.1:1/" } }, ["the address is not a public one; an operator can allow"]],
  [{ mail: { host: "256.1.1.1", from: "a@b.de", to: "a@b.de" } }, ["mail.host must be the name or address"]],
  [{ mail: { host: ":::", from: "a@b.de", to: "a@b.de" } }, ["mail.host must be the name or address"]],
  [{ mail: { host: "10.0.0.1", from: "a@b.de", to: "a@b.de" } }, ["the address is not a public one"]],
])("of %j all mistakes are told at once", async (target, messages) => {
  const answer = await busbar.admin.post<Problems>(base, { name: "Wrong", ...target });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ message }) => message)).toEqual(messages.map((one) => expect.stringContaining(one)));
});

test("only an operator lets a channel reach private addresses, and only this very target", async () => {
  const anna = await owner();
  const channel = { name: "Local", ntfy: { server: receiver.url, topic: "t", token: SECRET }, allow_private: true };
  const refused = await anna.post<Problems>(base, channel);
  expect([refused.status, refused.body.errors[0]?.details?.pointer]).toEqual([403, "/allow_private"]);
  const { id } = (await make(channel)).channel;
  // Made by level system: an owner does not even see it.
  expect((await anna.get(`${base}/${id}`)).status).toBe(404);
  expect((await anna.call("PUT", `${base}/${id}`, { json: channel })).status).toBe(404);
  const test = await busbar.admin.post(`${base}/${id}/test`, {});
  expect(test.body).toEqual({ outcome: "taken", error: null });
  expect((await receiver.next()).headers.authorization).toBe(`Bearer ${SECRET}`);
});

test("a test message reaches a mailbox, and a failure is told without the secret", async () => {
  const mail = {
    host: "127.0.0.1",
    port: mailServer.port,
    security: "none",
    from: "a@example.com",
    to: "b@example.com",
  };
  const { id } = (await make({ name: "Mail", mail, allow_private: true, language: "de" })).channel;
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const run = (...args: string[]) => runBusbar(["channel", ...args, "--site", site], { env });
  expect(await run("test", id)).toMatchObject({ out: "taken\n", code: 0 });
  expect(mailServer.mails.at(-1)?.headers.get("subject")).toBe("=?UTF-8?Q?Test_=E2=80=93_Plant?=");
  receiver.answer = (response) => void response.writeHead(500).end();
  const hook = await make({ name: "Hook", webhook: { url: receiver.url }, allow_private: true });
  expect(hook.secret).toMatch(/^whsec_/);
  const failed = await run("test", hook.channel.id);
  expect([failed.out, failed.code]).toEqual(["not taken: answered 500\n", 1]);
  const secret = { input: SECRET, env };
  const words = [
    "channel",
    "create",
    "Anna",
    "--site",
    site,
    "--secret-file",
    "-",
    "--ntfy",
    "plant",
    "--quiet",
    "night",
  ];
  const made = await runBusbar([...words, "--quiet-except", "error"], secret);
  expect(made.code).toBe(0);
  const list = await runBusbar(["channel", "list", "--site", site], { env });
  expect(list.out).toMatch(/Anna +ntfy +plant +night/);
  expect((await runBusbar(["channel", "delete", made.out.trim(), "--yes", "--site", site], { env })).code).toBe(0);
});
