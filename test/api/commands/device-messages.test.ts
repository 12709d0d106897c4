// What devices report of themselves: logs and properties, over MQTT in and over HTTP out.
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, makeCommandSite } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

interface LogLine {
  readonly timestamp: string;
  readonly received_at: string;
  readonly severity: string;
  readonly message: string;
  readonly persist: boolean;
}
type Logs = { readonly logs: readonly LogLine[]; readonly total_count: number };

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Messages");
});

async function setUp(name: string) {
  const deviceId = await site.device(name);
  const device = await site.connect(deviceId);
  const logs = async (query = "") => (await busbar.admin.get<Logs>(`/v3/devices/${deviceId}/logs${query}`)).body;
  return {
    deviceId,
    device,
    logs,
    messages: async (query = "") => (await logs(query)).logs.map(({ message }) => message),
    properties: async (session = busbar.admin) =>
      (await session.get<{ properties: object }>(`/v3/devices/${deviceId}/properties`)).body.properties,
  };
}

test("a log line keeps its text, severity, persistence and the device's own time", async () => {
  const { device, logs } = await setUp("Logs");
  await device.log("pump runs dry", { severity: "error", persist: true, timestamp: 1_700_000_000.25 });
  expect(await logs()).toEqual({
    logs: [
      {
        timestamp: "2023-11-14T22:13:20.250Z",
        received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        severity: "error",
        message: "pump runs dry",
        persist: true,
      },
    ],
    total_count: 1,
  });
});

test("a device clock with microseconds is understood, for logs and properties", async () => {
  const { device, logs, properties } = await setUp("Microseconds");
  await device.log("exact", { timestamp: 1_700_000_000.123456 });
  await device.sendProperties({ timestamp: 1_700_000_000.123456, firmware: "1.2" });
  expect((await logs()).logs[0]?.timestamp).toBe("2023-11-14T22:13:20.123Z");
  expect(await properties()).toEqual({ firmware: "1.2" });
});

test("a line without a time, severity or persist is taken as now, info and temporary", async () => {
  const { device, logs } = await setUp("Bare line");
  const before = Date.now() / 1000;
  await device.publish("v3/logs", '{"message": "hello"}');
  const [line] = (await logs()).logs;
  expect(line).toMatchObject({ severity: "info", persist: false, message: "hello" });
  expect(Date.parse(line?.timestamp ?? "") / 1000).toBeGreaterThanOrEqual(Math.floor(before));
});

test("logs are read oldest first or newest first, by severity, persistence, time and page", async () => {
  const { device, messages, logs } = await setUp("Filters");
  for (const [index, severity] of ["debug", "info", "warning", "error", "info"].entries()) {
    await device.log(`${index} ${severity}`, { severity, persist: index % 2 === 0 });
  }
  const all = ["0 debug", "1 info", "2 warning", "3 error", "4 info"];
  expect(await messages()).toEqual(all);
  expect(await messages("?order=RECEIVED_AT_DESC")).toEqual(all.toReversed());
  expect(await messages("?severity=INFO,error")).toEqual(["1 info", "3 error", "4 info"]);
  expect(await messages("?show=persisted_only")).toEqual(["0 debug", "2 warning", "4 info"]);
  expect(await messages("?show=temporary_only")).toEqual(["1 info", "3 error"]);
  expect(await messages("?limit=2&offset=1&order=received_at_desc")).toEqual(["3 error", "2 warning"]);
  expect(await logs("?limit=0")).toEqual({ logs: [], total_count: 5 });
  const third = (await logs()).logs[2]?.received_at ?? "";
  expect((await messages(`?received_at_from=${third}`)).at(-1)).toBe("4 info");
  expect(await messages(`?received_at_to=${new Date(0).toISOString()}`)).toEqual([]);
  const times = (await logs()).logs.map(({ received_at }) => received_at);
  expect(new Set(times).size).toBe(5);
  expect(times.toSorted()).toEqual(times);
  for (const query of ["?severity=loud", "?show=some", "?order=up", "?limit=-1", "?since=now"]) {
    expect((await busbar.admin.get(`/v3/devices/${(await setUp("Refusing")).deviceId}/logs${query}`)).status).toBe(400);
  }
});

test("a very long line is cut, and any text is kept as it is, but for U+0000", async () => {
  const { device, messages } = await setUp("Long");
  const odd = 'Größe 🔋 "quoted" \\ <b>&amp;</b> \u0000 end';
  await device.log(odd);
  await device.log("x".repeat(10_000));
  expect(await messages()).toEqual([odd.replace("\0", "\uFFFD"), "x".repeat(4_096)]);
});

test("properties come over register and over properties, keep the others, and are read by level", async () => {
  const { device, properties, deviceId } = await setUp("Properties");
  await device.publish("v1/register", JSON.stringify({ firmware: "1.0", rating: 5.5, mode: "auto", serial: 7 }));
  await device.publish("v1/properties", JSON.stringify({ firmware: "1.1" }));
  const all = { firmware: "1.1", rating: 5.5, mode: "auto", serial: 7 };
  expect(await properties()).toEqual(all);
  const seenBy = async (level: string) =>
    Object.keys(await properties(busbar.as(await busbar.token({ level })))).sort();
  expect(await seenBy("readonly")).toEqual(["firmware", "rating"]);
  expect(await seenBy("owner")).toEqual(["firmware", "mode", "rating"]);
  expect(await seenBy("vendor")).toEqual(["firmware", "mode", "rating", "serial"]);
  const path = `/v3/devices/${deviceId}?expand=properties`;
  const expanded = await busbar.admin.get<{ device: { properties: object } }>(path);
  expect(expanded.body.device.properties).toEqual(all);
});

test("an alias of a property is its property", async () => {
  const { device, properties } = await setUp("Alias");
  await device.sendProperties({ fw: "2.0" });
  expect(await properties()).toEqual({ firmware: "2.0" });
});

test("what is undeclared, of the wrong type, outside its enum or NaN is left out and logged; the rest is kept", async () => {
  const { device, properties, messages } = await setUp("Wrong");
  await device.publish(
    "v1/properties",
    '{"firmware": "1.0", "color": "red", "serial": 1.5, "mode": "off", "rating": NaN, "constructor": 1, "__proto__": 2}',
  );
  expect(await properties()).toEqual({ firmware: "1.0" });
  const lines = await messages("?severity=warning");
  const about = (name: string) => lines.find((line) => line.includes(`"${name}"`));
  expect(about("color")).toContain("is not declared in the blueprint");
  // Its value takes level vendor, and everybody reads the log.
  expect(about("serial")).toContain("must be a whole number, not such a number");
  expect(about("mode")).toContain("must be one of auto, manual");
  expect(about("rating")).toContain("must be a number");
  expect([about("constructor"), about("__proto__")]).not.toContain(undefined);
  await device.sendProperties({ serial: 2.0, firmware: null });
  expect(await properties()).toEqual({ firmware: "1.0", serial: 2 });
});

test("an older message never replaces a newer property, and a clock more than a day ahead is refused", async () => {
  const { device, properties, messages } = await setUp("Clocks");
  const now = Math.floor(Date.now() / 1000);
  await device.sendProperties({ timestamp: now, firmware: "new" });
  await device.sendProperties({ timestamp: now - 60, firmware: "old" });
  expect(await properties()).toEqual({ firmware: "new" });
  await device.sendProperties({ timestamp: now + 24 * 3600 + 60, firmware: "future" });
  expect(await properties()).toEqual({ firmware: "new" });
  expect((await messages("?severity=warning")).join()).toContain("more than a day ahead");
});

test("a message that makes no sense is acknowledged and reported in the device's log; a flood of them is not", async () => {
  const { device, logs } = await setUp("Nonsense");
  for (const [topic, payload] of [
    ["v1/properties", "{"],
    ["v1/command/responses", '{"id": 5, "state": "done"}'],
    ["v3/logs", '{"severity": "loud"}'],
    ["v1/nowhere", "{}"],
  ] as const) {
    await device.publish(topic, payload);
  }
  expect((await logs("?severity=warning")).total_count).toBe(4);
  for (let n = 0; n < 50; n++) await device.publish("v1/properties", "{");
  const { total_count, logs: lines } = await logs("?severity=warning");
  expect(total_count).toBe(10);
  expect(lines.at(-1)?.message).toContain("left out for a minute");
});

test("a device of another site has no logs, properties or configuration for a stranger", async () => {
  const { deviceId } = await setUp("Hidden");
  const elsewhere = await makeCommandSite(busbar, "Elsewhere");
  const stranger = busbar.as(await busbar.token({ level: "vendor", site_ids: [elsewhere.siteId] }));
  for (const part of ["logs", "properties", "configuration"]) {
    expect((await stranger.get(`/v3/devices/${deviceId}/${part}`)).status).toBe(404);
  }
});

test("the log is also where the ecosystem's clients look for it", async () => {
  const { device, deviceId } = await setUp("Compatible");
  await device.log("here");
  const { body } = await busbar.admin.get<Logs>(`/v3/sites/${site.siteId}/devices/${deviceId}/logs`);
  expect(body.logs.map(({ message }) => message)).toEqual(["here"]);
});
