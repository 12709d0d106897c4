// What people and editors read about rules: traces, checks, names, notifications, and events of all of it.
import { beforeAll, expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { type CommandSite, makeCommandSite, upload } from "../../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../../support/fake-device.ts";
import { listen } from "../../support/listen.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const METER = `blueprint_spec: device/3.0
display_name: Meter
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
  secret: {type: float, unit: W, display_name: Secret, access_level: owner}
  serial: {type: string, display_name: Serial, access_level: vendor}
command_groups: {main: {display_name: Main}}
commands:
  reset: {group: main, display_name: Reset}
alerts:
  hot: { severity: warning, display_name: Too hot }
`;

let site: CommandSite;
let engine = "";
let meter: FakeDevice;
const client = () => createClient({ url: busbar.url, token: busbar.adminToken });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const yaml = (text: string) => ({ code: base64(text), runtime_version: "V3", language: "yaml" }) as const;
const patiently = { timeout: 60_000, interval: 200 };

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Readable");
  engine = `/v3/sites/${site.siteId}/rule_engine`;
  const id = await site.device("Meter", { blueprint_id: await upload(busbar, METER), slug: "meter" });
  meter = await connectFakeDevice(await site.configOf(id));
});

const EXPORTS = `name: Export
when: { device: meter, attribute: power, below: -100 }
if: { device: meter, attribute: secret, above: 1 }
then:
  - { notify: There is a surplus., title: Roof, severity: warning }
  - { set: exporting, to: true }
else:
  - { notify: It is over. }
`;

test("what a rule did can be read, heard and counted, and a notification is sent once", async () => {
  const events = await listen(busbar.url, busbar.adminToken, {
    query: `?kind.in=rule,notification&site_id.in=${site.siteId}`,
  });
  await client().rules.create(site.siteId, { slug: "exports", script: yaml(EXPORTS) });
  expect((await client().rules.get(site.siteId, "exports")).rule.last_run).toBeNull();
  await meter.sendTelemetry({ power: -500, secret: 7 });
  await vi.waitFor(async () => {
    const { rule } = await client().rules.get(site.siteId, "exports");
    expect(rule.last_run).toMatchObject({ outcome: "ran", why: "it became true" });
  }, patiently);
  await vi.waitFor(async () => {
    const { traces, total_count } = await client().rules.traces(site.siteId, "exports");
    expect(total_count).toBe(1);
    expect(traces[0]).toMatchObject({
      trigger: "/when",
      outcome: "ran",
      branch: "then",
      evidence: [
        { what: "meter.power", place: "/when", outcome: true, value: -500, age_seconds: expect.any(Number) },
        { what: "meter.secret", place: "/if", outcome: true, value: 7 },
      ],
      steps: [
        { place: "/then/0", what: "notify: There is a surplus.", result: "sent" },
        { place: "/then/1", result: "set" },
      ],
      ended: "done",
    });
  }, patiently);
  const [trace] = (await client().rules.traces(site.siteId, "exports")).traces;
  const found = await client().rules.trace(site.siteId, "exports", trace?.id ?? "");
  expect(found.trace).toEqual(trace);

  const { notifications } = await client().notifications.list(site.siteId);
  expect(notifications).toMatchObject([
    { severity: "warning", title: "Roof", text: "There is a surplus.", source: { kind: "rule", slug: "exports" } },
  ]);
  await vi.waitFor(() => {
    const kinds = events.seen.map(({ event }) => event);
    expect(kinds).toContain("rule");
    expect(events.seen.find(({ event }) => event === "notification")?.data).toEqual(notifications[0]);
    const last = events.seen.findLast(({ event }) => event === "rule");
    expect(last?.data).toMatchObject({
      ...{ site_id: site.siteId, slug: "exports", state: "STARTED", disabled: false },
      last_run: { outcome: "ran" },
    });
  }, patiently);

  await busbar.restart();
  await vi.waitFor(async () => {
    expect((await client().rules.get(site.siteId, "exports")).rule.state).toBe("STARTED");
  }, patiently);
  expect((await client().rules.traces(site.siteId, "exports")).traces[0]?.id).toBe(trace?.id);
  expect((await client().notifications.list(site.siteId)).total_count).toBe(1);
});

test("a token that may not read an attribute does not read it in a trace or among names", async () => {
  const viewer = createClient({ url: busbar.url, token: await busbar.token({ level: "readonly" }) });
  const [trace] = (await viewer.rules.traces(site.siteId, "exports")).traces;
  expect(trace?.evidence.map(({ what, value }) => [what, value])).toEqual([
    ["meter.power", -500],
    ["meter.secret", undefined],
  ]);
  const namesOf = async (of: typeof viewer) =>
    (await of.rules.names(site.siteId)).devices
      .find(({ slug }) => slug === "meter")
      ?.attributes.map(({ name }) => name);
  expect(await namesOf(viewer)).toEqual(["power"]);
  expect(await namesOf(client())).toEqual(expect.arrayContaining(["power", "secret"]));
  await expect(viewer.rules.check(site.siteId, yaml(EXPORTS))).rejects.toMatchObject({ status: 403 });
});

test("a text is compared with what the site has, all at once, and with errors it is not stored", async () => {
  const text = `when: { device: metre, attribute: power, above: 1 }
if: { device: meter, attribute: powr, above: 1 }
then:
  - { execute: rest, device: meter }
  - { set: mine, to: 1 }
else: { execute: reset, device: meter, arguments: { x: 1 } }
`;
  const { diagnostics } = await client().rules.check(site.siteId, yaml(text));
  expect(diagnostics.map(({ line, path, message }) => [line, path, message.split(" ").slice(0, 6).join(" ")])).toEqual([
    [1, "/when/device", 'There is no device "metre". Did'],
    [2, "/if/attribute", "There is no attribute of meter"],
    [4, "/then/0/execute", "There is no command of meter"],
    [6, "/else/arguments/x", 'reset: there is no "x"; none'],
  ]);
  const refused = await busbar.admin.post(`${engine}/rules`, { slug: "typos", script: yaml(text) });
  expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/script/code", diagnostics }]);
  const lua = { code: base64("local a = 1\nif then"), runtime_version: "V3" } as const;
  expect((await client().rules.check(site.siteId, lua)).diagnostics).toMatchObject([{ code: "lua_syntax", line: 2 }]);
  expect((await client().rules.check(site.siteId, yaml(EXPORTS))).diagnostics).toEqual([]);
});

test("names say what a rule can name", async () => {
  expect((await client().rules.names(site.siteId)).prices).toEqual([]);
  const tariff = { currency: "EUR", versions: [{ export: { type: "fixed" as const, price: 0.08 } }] };
  await client().perform("putTariff", { params: { site_id: site.siteId }, body: tariff });
  const names = await client().rules.names(site.siteId);
  expect(names.prices).toEqual(["export"]);
  expect(names).toMatchObject({
    total_count: 2,
    variables: [{ name: "exporting", value: true }],
    devices: [
      { slug: "gateway" },
      {
        slug: "meter",
        commands: [{ name: "reset", display_name: "Reset" }],
        controls: [],
        alerts: [{ id: "hot", display_name: "Too hot" }],
      },
    ],
  });
  const page = await client().rules.names(site.siteId, { limit: 1, offset: 1 });
  expect([page.devices.map(({ slug }) => slug), page.total_count]).toEqual([["meter"], 2]);
});

test.each([
  ["one line of a quarter of a mebibyte", "when: ".padEnd(262_000, "x")],
  ["names that nobody has", `when:\n${"  - { device: nobody, attribute: power, above: 1 }\n".repeat(5_000)}`],
  ["deep conditions", `when: ${"{ not: ".repeat(5_000)}`],
  ["no text", "\0\x01\xff"],
])("a hostile text is refused like any other: %s", async (_, text) => {
  const { diagnostics } = await client().rules.check(site.siteId, yaml(text));
  expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  expect(diagnostics.length).toBeLessThanOrEqual(1_001);
});

test("a rule that notifies without an end is held to twelve in a minute", async () => {
  const flood = `when: { every: 1s }
mode: parallel
then: [${"{ notify: again }, ".repeat(50).slice(0, -2)}]
`;
  await client().rules.create(site.siteId, { slug: "flood", script: yaml(flood) });
  const sent = async () => {
    const { notifications } = await client().notifications.list(site.siteId, { limit: 1_000 });
    return notifications.filter(({ source }) => source.slug === "flood").length;
  };
  await vi.waitFor(
    async () => expect((await client().rules.traces(site.siteId, "flood")).total_count).toBe(3),
    patiently,
  );
  expect(await sent()).toBe(12);
  await client().rules.delete(site.siteId, "flood");
});
