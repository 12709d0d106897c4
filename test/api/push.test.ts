// Devices that take web push: subscribed by their person, told through routes, ended by the person, an owner or the push service.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NotificationChannel, Push } from "#client/resources.ts";
import { MOST_PUSH_DEVICES } from "#core/notification/push.ts";
import { type Browser, checkVapid, type PushService, pushed, startPushService } from "../support/push-service.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer([
  ...["--mqtt-port", "0", "--webhooks-allow-private"],
  ...["--notifications-push-contact", "mailto:energy@plant.org"],
]);
const strict = useServer(["--mqtt-port", "0"]);

let site: string;
let base: string;
let service: PushService;
beforeAll(async () => {
  service = await startPushService();
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Plant" })).body.site.id;
  base = `/v3/sites/${site}/notifications`;
});
afterAll(() => service.stop());

type Subscribed = Push & { readonly device_id: string; readonly outcome: string; readonly error: string | null };
const person = async (name: string, level = "user") =>
  busbar.as(await busbar.token({ name, level: level as "user", site_ids: [site] }));
type Person = Awaited<ReturnType<typeof person>>;
const subscribe = (one: Person, browser: Browser, name = "Phone") =>
  one.post<Subscribed>(`${base}/push/devices`, { name, ...browser.subscription });

test("a person subscribes a device, which gets a first message; secrets are never shown", async () => {
  const anna = await person("Anna", "readonly");
  const before = (await anna.get<Push>(`${base}/push`)).body;
  expect(before).toMatchObject({ channel_id: null, devices: [] });
  const browser = service.browser();
  const made = await subscribe(anna, browser);
  expect([made.status, made.body.outcome, made.body.error]).toEqual([200, "taken", null]);
  const [greeting] = browser.messages;
  expect(greeting?.json).toMatchObject({ kind: "test", open: `/sites/${site}/alerts` });
  const { key, claims } = checkVapid(greeting?.headers.authorization);
  expect([key, claims["sub"]]).toEqual([before.public_key, "mailto:energy@plant.org"]);
  const read = await anna.get<Push>(`${base}/push`);
  const device = { id: made.body.device_id, name: "Phone", service: new URL(service.url).host };
  expect(read.body).toMatchObject({ channel_id: made.body.channel_id, devices: [device] });
  const channels = await busbar.admin.get<{ channels: NotificationChannel[] }>(`${base}/channels`);
  expect(channels.body.channels).toMatchObject([{ name: "Anna", kind: "push", push: { devices: [device] } }]);
  const audit = await busbar.admin.get("/v3/audit?limit=1000");
  expect(audit.text).toContain("subscribePush");
  for (const { text } of [made, read, channels, audit])
    for (const secret of Object.values(browser.subscription)) expect(text).not.toContain(secret);
});

test("a route tells all devices of a person; one that is over is removed, and the others go on", async () => {
  const ben = await person("Ben");
  const [phone, desk] = [service.browser(), service.browser()];
  await subscribe(ben, phone);
  const { channel_id: channel } = (await subscribe(ben, desk, "Desk")).body;
  const route = { name: "Ben", group: "0s", steps: [{ channels: [channel] }] };
  expect((await busbar.admin.post(`${base}/routes`, route)).status).toBe(200);
  phone.answer = (response) => void response.writeHead(410).end();
  const rule = { slug: "hello", script: { code: btoa('notify("Now", {severity = "error"})'), runtime_version: "V3" } };
  expect((await busbar.admin.post(`/v3/sites/${site}/rule_engine/rules`, rule)).status).toBe(200);
  expect((await pushed(desk, ({ json }) => json["kind"] === "rule")).json).toMatchObject({ severity: "error" });
  await expect
    .poll(async () => (await ben.get<Push>(`${base}/push`)).body.devices.map(({ name }) => name), { timeout: 60_000 })
    .toEqual(["Desk"]);
  // The same person again, with the same browser: not twice.
  await subscribe(ben, desk, "Desk again");
  const { devices } = (await ben.get<Push>(`${base}/push`)).body;
  expect(devices.map(({ name }) => name)).toEqual(["Desk again"]);
});

test("name, language and quiet hours of the channel are changed, and its devices stay", async () => {
  const cora = await person("Cora");
  const browser = service.browser();
  const { channel_id: channel } = (await subscribe(cora, browser)).body;
  const json = { name: "Cora, at night", language: "de", quiet: { calendar: "night" } };
  const changed = await busbar.admin.call<{ channel: NotificationChannel }>("PUT", `${base}/channels/${channel}`, {
    json,
  });
  expect(changed.body.channel).toMatchObject({ ...json, kind: "push", push: { devices: [{ name: "Phone" }] } });
  const tested = await busbar.admin.post(`${base}/channels/${channel}/test`, undefined);
  expect(tested.body).toEqual({ outcome: "taken", error: null });
  expect(browser.messages.at(-1)?.json["text"]).toContain("Testnachricht");
  const webhook = { name: "x", webhook: { url: service.url } };
  expect((await busbar.admin.call("PUT", `${base}/channels/${channel}`, { json: webhook })).status).toBe(400);
});

test("a device is ended by its person or an owner, and by nobody else", async () => {
  const [dora, emil] = [await person("Dora"), await person("Emil")];
  const first = (await subscribe(dora, service.browser())).body.device_id;
  const second = (await subscribe(dora, service.browser(), "Two")).body.device_id;
  const end = (one: Person, id: string) => one.post<Push>(`${base}/push/devices/${id}/end`, undefined);
  expect((await end(emil, first)).status).toBe(404);
  expect((await end(await person("Owner", "owner"), first)).status).toBe(200);
  expect((await end(dora, second)).body.devices).toEqual([]);
  expect((await end(dora, second)).status).toBe(404);
});

test("what a push service refuses for good is not kept; there are only so many devices and tries", async () => {
  const fritz = await person("Fritz");
  const gone = service.browser();
  gone.answer = (response) => void response.writeHead(410).end();
  const refused = await subscribe(fritz, gone);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("answered 410")]);
  expect((await fritz.get<Push>(`${base}/push`)).body.devices).toEqual([]);
  for (let count = 0; count < MOST_PUSH_DEVICES; count++)
    expect((await subscribe(fritz, service.browser())).status).toBe(200);
  const many = await subscribe(fritz, service.browser());
  expect([many.status, many.text]).toEqual([409, expect.stringContaining("at most 10 devices")]);
  const statuses: number[] = [];
  for (let count = 0; count < 10; count++) statuses.push((await subscribe(fritz, service.browser())).status);
  expect(statuses.at(-1)).toBe(429);
});

test("several devices at once are all kept", async () => {
  const gina = await person("Gina");
  await subscribe(gina, service.browser(), "0");
  const made = await Promise.all([1, 2, 3, 4].map((number) => subscribe(gina, service.browser(), String(number))));
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { devices } = (await gina.get<Push>(`${base}/push`)).body;
  expect(devices.map(({ name }) => name).sort()).toEqual(["0", "1", "2", "3", "4"]);
});

const KEYS = { p256dh: "", auth: randomBytes(16).toString("base64url") };
test.each([
  [{ endpoint: "http://push.example/" }, "/endpoint"],
  [{ endpoint: "https://127.0.0.1/" }, "/endpoint"],
  [{ endpoint: "https://10.1.2.3/" }, "/endpoint"],
  [{ endpoint: "nonsense" }, "/endpoint"],
  [{ endpoint: `https://push.example/${"a".repeat(2_000)}` }, "/endpoint"],
  [{ p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]).toString("base64url") }, "/p256dh"],
  [{ p256dh: "AAAA" }, "/p256dh"],
  [{ auth: "AAAA" }, "/auth"],
])("an address that is not public, and keys that are none, are refused: %j", async (wrong, pointer) => {
  const other = (await strict.admin.post<{ site: { id: string } }>("/v3/sites", { name: "P" })).body.site.id;
  const { p256dh } = service.browser().subscription;
  const body = { name: "Phone", endpoint: "https://push.example/", ...KEYS, p256dh, ...wrong };
  const answer = await strict.admin.post<{ errors: { details: { pointer: string } }[] }>(
    `/v3/sites/${other}/notifications/push/devices`,
    body,
  );
  expect([answer.status, answer.body.errors[0]?.details.pointer]).toEqual([400, pointer]);
});

test("the command line shows whose devices there are", async () => {
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const list = await runBusbar(["channel", "list", "--site", site], { env });
  expect(list.out).toMatch(/Gina +push +5 devices/);
});
