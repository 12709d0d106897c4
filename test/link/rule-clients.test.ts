// Every call of the ecosystem's clients of rules, in the form in which each of them sends it, and read as strictly as they read: on a
// gateway, and in the cloud for the gateway's site. Calls, bodies, content types and closed words are those of docs/compatibility.md.
import { beforeAll, expect, test } from "vitest";
import { upload } from "../support/command-site.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";
import { parseRaw, sendRaw } from "../support/raw-http.ts";
import type { TestServer } from "../support/server.ts";
import { openSocket } from "../support/web-socket.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const BATTERY = `blueprint_spec: device/3.0
display_name: Battery
runtime: {type: embedded}
implements: [energy.battery]
properties:
  model: {type: string, display_name: Model}
telemetry:
  battery_soc: {type: float, unit: "%", display_name: SoC}
command_groups: {main: {display_name: Main}}
commands:
  charge:
    group: main
    display_name: Charge
    arguments: {power: {type: float, unit: W, required: true, display_name: Power}}
`;

let battery: FakeDevice;
let batteryId = "";
const charged: unknown[] = [];

beforeAll(async () => {
  batteryId = await pair.site.device("Battery", { blueprint_id: await upload(gateway, BATTERY), slug: "battery" });
  battery = await connectFakeDevice(await pair.site.configOf(batteryId));
  battery.onCommand(async (command) => {
    charged.push(command.arguments);
    await command.completed({ accepted: true });
  });
  await battery.sendProperties({ model: "B1" });
  await battery.sendTelemetry({ battery_soc: 40 });
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${batteryId}`)).status).toBe(200));
  return () => battery.drop();
});

type Fields = Readonly<Record<string, unknown>>;

interface Place {
  readonly server: TestServer;
  readonly base: string;
  readonly token: string;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** A caller that sees this site alone: the paths without a site are for such a one. */
async function placeOf(server: TestServer, base: string): Promise<Place> {
  const token = await server.token({ level: "owner", site_ids: [pair.site.siteId] });
  return { server, base, token };
}

/** As the SDK and the agent server send: JSON with a body, nothing at all without one. */
async function sdk({ server, base, token }: Place, method: string, path: string, body?: object): Promise<Fields> {
  const headers = { "X-Enapter-Auth-Token": token, "User-Agent": "python-httpx/0.28", Accept: "*/*" };
  const given =
    body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } };
  const response = await fetch(`${server.url}${base}${path}`, { method, headers, ...given });
  const answer = (await response.json()) as Fields;
  return response.ok ? answer : { status: response.status, ...answer };
}

/** As the command line sends: a content type always, empty for what has no body, that of JSON for a deletion; anything but 200 fails. */
async function cli({ server, base, token }: Place, method: string, path: string, body?: object): Promise<Fields> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type = body === undefined && method !== "DELETE" ? "" : "application/json";
  const head = [
    `${method} ${base}${path} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    "User-Agent: Go-http-client/1.1",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Content-Type: ${type}`,
    `X-Enapter-Auth-Token: ${token}`,
    "Connection: close",
  ];
  const answer = parseRaw(await sendRaw(server.port, `${head.join("\r\n")}\r\n\r\n${text}`));
  expect([method, path, answer.status, answer.status === 200 ? "" : answer.text]).toEqual([method, path, 200, ""]);
  const isChunked = answer.headers.get("transfer-encoding") === "chunked";
  return JSON.parse(
    isChunked ? answer.text.slice(answer.text.indexOf("{"), answer.text.lastIndexOf("}") + 1) : answer.text,
  );
}

/** What clients index without a default, and the closed lists of words: another word raises. */
function engineIn({ engine }: Fields) {
  expect(engine).toMatchObject({ id: expect.any(String), timezone: expect.any(String) });
  const { state } = engine as { state: string };
  expect(["ACTIVE", "SUSPENDED"]).toContain(state);
  return { state };
}

function readRule(rule: unknown) {
  expect(rule).toMatchObject({
    id: expect.any(String),
    slug: expect.any(String),
    disabled: expect.any(Boolean),
    script: { code: expect.any(String), runtime_version: expect.any(String) },
  });
  const { id, slug, disabled, state, script } = rule as {
    readonly id: string;
    readonly slug: string;
    readonly disabled: boolean;
    readonly state: string;
    readonly script: { readonly code: string; readonly runtime_version: string; readonly exec_interval?: unknown };
  };
  expect(["STARTED", "STOPPED"]).toContain(state);
  expect(["V1", "V3"]).toContain(script.runtime_version);
  if ("exec_interval" in script) expect(script.exec_interval).toEqual(expect.any(String));
  return { id, slug, disabled, state, code: Buffer.from(script.code, "base64").toString() };
}

const ruleIn = (answer: Fields) => readRule(answer["rule"]);

/** The SDK asks for pages until it has as many as the total says. */
async function allRules(place: Place) {
  const all: ReturnType<typeof readRule>[] = [];
  for (let offset = 0; ; offset += 2) {
    const answer = await sdk(place, "GET", `/rules?offset=${offset}&limit=2`);
    const rules = answer["rules"] as readonly unknown[];
    expect(Number.isInteger(answer["total_count"])).toBe(true);
    if (rules.length === 0) {
      expect(all.length).toBe(answer["total_count"]);
      return all;
    }
    all.push(...rules.map(readRule));
  }
}

async function replaySdk(place: Place): Promise<void> {
  expect(engineIn(await sdk(place, "GET", ""))).toEqual({ state: "ACTIVE" });
  expect(engineIn(await sdk(place, "POST", "/suspend"))).toEqual({ state: "SUSPENDED" });
  expect(engineIn(await sdk(place, "POST", "/resume"))).toEqual({ state: "ACTIVE" });
  const script = { code: base64("-- one"), runtime_version: "V3" };
  const made = ruleIn(await sdk(place, "POST", "/rules", { slug: "sdk-one", script, disable: true }));
  expect(made).toMatchObject({ slug: "sdk-one", disabled: true, state: "STOPPED", code: "-- one" });
  const taken = await sdk(place, "POST", "/rules", { slug: "sdk-one", script, disable: true });
  expect(taken).toMatchObject({ status: 409, errors: [{ code: "slug_taken", message: expect.any(String) }] });
  const timed = { ...script, exec_interval: "1m" };
  ruleIn(await sdk(place, "POST", "/rules", { slug: "sdk-two", script: timed, disable: false }));
  ruleIn(await sdk(place, "POST", "/rules", { slug: "sdk-three", script, disable: true }));
  const listed = (await allRules(place)).map(({ slug }) => slug);
  expect(listed).toEqual(expect.arrayContaining(["sdk-one", "sdk-three", "sdk-two"]));
  for (const name of [made.id, "sdk-one"]) expect(ruleIn(await sdk(place, "GET", `/rules/${name}`)).id).toBe(made.id);
  expect(ruleIn(await sdk(place, "PATCH", `/rules/${made.id}`, { slug: "sdk-1" })).slug).toBe("sdk-1");
  const other = { ...script, code: base64("-- other") };
  expect(ruleIn(await sdk(place, "POST", "/rules/sdk-1/update_script", { script: other })).code).toBe("-- other");
  expect(ruleIn(await sdk(place, "POST", "/rules/sdk-1/enable"))).toMatchObject({ disabled: false, state: "STARTED" });
  expect(ruleIn(await sdk(place, "POST", "/rules/sdk-1/disable"))).toMatchObject({ disabled: true, state: "STOPPED" });
  for (const slug of ["sdk-1", "sdk-two", "sdk-three"])
    expect(await sdk(place, "DELETE", `/rules/${slug}`)).toEqual({});
  expect(await sdk(place, "GET", "/rules/sdk-1")).toMatchObject({
    status: 404,
    errors: [{ code: expect.any(String) }],
  });
}

async function replayCli(place: Place): Promise<void> {
  expect(engineIn(await cli(place, "GET", ""))).toEqual({ state: "ACTIVE" });
  expect(engineIn(await cli(place, "POST", "/suspend"))).toEqual({ state: "SUSPENDED" });
  expect(engineIn(await cli(place, "POST", "/resume"))).toEqual({ state: "ACTIVE" });
  // It always names an interval, and means none by this one.
  const script = {
    code: base64("enapter.log('from the command line', 'warning')"),
    runtime_version: "V3",
    exec_interval: "0s",
  };
  const one = ruleIn(await cli(place, "POST", "/rules", { slug: "cli-one", script, disable: true }));
  const two = ruleIn(await cli(place, "POST", "/rules", { slug: "cli-two", script, disable: true }));
  expect([one.state, two.disabled]).toEqual(["STOPPED", true]);
  const past = await cli(place, "GET", "/rules?limit=50&offset=100000");
  expect(past["rules"]).toEqual([]);
  expect(ruleIn(await cli(place, "GET", `/rules/${one.id}`)).slug).toBe("cli-one");
  expect(ruleIn(await cli(place, "PATCH", "/rules/cli-two", { slug: "cli-2" })).id).toBe(two.id);
  const { server, base, token } = place;
  const lines = await openSocket(`${server.url}${base}/rules/cli-one/logs`, { "X-Enapter-Auth-Token": token });
  expect(ruleIn(await cli(place, "POST", "/rules/batch_enable", { rule_ids: [one.id, "cli-2"] })).disabled).toBe(false);
  const line = await lines.next();
  expect(line).toMatchObject({ severity: "warning", message: "from the command line" });
  expect(Number.isInteger(line["timestamp"])).toBe(true);
  expect(ruleIn(await cli(place, "POST", "/rules/cli-2/update_script", { script })).slug).toBe("cli-2");
  expect(ruleIn(await cli(place, "POST", "/rules/batch_disable", { rule_ids: ["cli-one", two.id] })).disabled).toBe(
    true,
  );
  for (const name of ["cli-one", two.id]) expect(await cli(place, "DELETE", `/rules/${name}`)).toEqual({});
}

/** The agent server looks for a gateway that is there, and makes rules that somebody else enables. */
async function replayAgent(place: Place): Promise<void> {
  const { siteId } = pair.site;
  const site = { ...place, base: `/v3/sites/${siteId}` };
  await eventually(async () => {
    const { devices } = (await sdk(site, "GET", "/devices?expand=connectivity")) as {
      readonly devices: readonly { readonly type: string; readonly connectivity: { readonly status: string } }[];
    };
    const gateways = devices.filter(({ type }) => type === "GATEWAY");
    expect(gateways.map(({ connectivity }) => connectivity.status)).toEqual(["ONLINE"]);
  });
  const script = { code: base64("-- by an agent"), runtime_version: "V3" };
  const made = ruleIn(await sdk(place, "POST", "/rules", { slug: "mcp-1a2b", script, disable: true }));
  expect(made).toMatchObject({ disabled: true, state: "STOPPED" });
  expect((await allRules(place)).map(({ id }) => id)).toContain(made.id);
  const edited = { ...script, code: base64("-- edited") };
  expect(ruleIn(await sdk(place, "POST", `/rules/${made.id}/update_script`, { script: edited })).code).toBe(
    "-- edited",
  );
  expect(await sdk(place, "DELETE", `/rules/${made.id}`)).toEqual({});
}

const PLACES = [
  ["a gateway, with its site", gateway, (siteId: string) => `/v3/sites/${siteId}/rule_engine`],
  ["a gateway, without a site", gateway, () => "/v3/site/rule_engine"],
  ["a cloud, with the site of a gateway", cloud, (siteId: string) => `/v3/sites/${siteId}/rule_engine`],
  ["a cloud, without a site", cloud, () => "/v3/site/rule_engine"],
] as const;

test.each(PLACES)("all calls of clients get what they expect: %s", async (_, server, path) => {
  const place = await placeOf(server, path(pair.site.siteId));
  await replaySdk(place);
  await replayCli(place);
  await replayAgent(place);
});

/** Every function that is documented or seen in published rules, called as they call it. */
const PUBLISHED = `local battery, err = enapter.device("battery")
if err ~= nil then
  enapter.log("Device not found: " .. err, "error")
  return
end

for _, device in pairs(enapter.devices()) do
  if device.implements()["energy.battery"] and device.property("model") == "B1" then
    enapter.log("battery " .. device.id)
  end
end

local job
local function control()
  local online, problem = battery.online()
  if problem ~= nil or not online then
    enapter.log("not there: " .. tostring(problem), "warning")
    return
  end
  local soc, stale = battery.telemetry.now("battery_soc", { relevance_interval = "10m" })
  local mean, unknown = battery.telemetry.avg("battery_soc", "5m")
  if stale ~= nil or unknown ~= nil then
    enapter.log("no value: " .. tostring(stale or unknown), "warning")
    return
  end
  local done = storage.read(RULE_ID .. "-done")
  if soc < 50 and mean < 50 and done ~= "yes" then
    storage.write(RULE_ID .. "-done", "yes")
    local state, answer = battery.commands.execute("charge", { power = 1500 })
    enapter.log("charge: " .. state .. " " .. tostring(answer.accepted))
    scheduler.remove(job)
    storage.remove(RULE_ID .. "-done")
  end
end

job = scheduler.add(500, control)
enapter.log("started in " .. TIMEZONE, "debug")
`;

test("a rule in the manner of published ones runs unchanged, made in the cloud", async () => {
  const place = await placeOf(cloud, `/v3/sites/${pair.site.siteId}/rule_engine`);
  const script = { code: base64(PUBLISHED), runtime_version: "V3", exec_interval: "0s" };
  const made = ruleIn(await cli(place, "POST", "/rules", { slug: "published", script }));
  expect(made).toMatchObject({ disabled: false, code: PUBLISHED });
  const logs = async () =>
    ((await sdk(place, "GET", "/rules/published/logs?limit=100"))["logs"] ?? []) as readonly Fields[];
  await eventually(async () => {
    await battery.sendTelemetry({ battery_soc: 40 });
    expect((await logs()).map(({ message }) => message)).toContain("charge: SUCCESS true");
  });
  const messages = (await logs()).map(({ severity, message }) => `${severity}: ${message}`).reverse();
  expect(messages.slice(0, 2)).toEqual([`info: battery ${batteryId}`, expect.stringMatching(/^debug: started in \w+/)]);
  expect(messages.filter((line) => line.startsWith("error"))).toEqual([]);
  expect(charged).toEqual([{ power: 1500 }]);
  expect(await sdk(place, "DELETE", "/rules/published")).toEqual({});
});
