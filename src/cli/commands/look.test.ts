import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeAnswer, type FakeBusbar, startFakeBusbar } from "../../../test/support/fake-busbar.ts";
import { type Ran, runBusbar } from "../../../test/support/run-busbar.ts";

const SITE = "00000000-0000-7000-8000-000000000001";
const response = (state: string, second: number, payload: object) => ({
  state,
  payload,
  received_at: `2026-01-01T00:00:0${second}.000000Z`,
});
const started = response("STARTED", 1, {});
const half = response("IN_PROGRESS", 2, { message: "half way" });
const done = response("SUCCEEDED", 3, { energy: 4 });
const execution = {
  id: "e1",
  device_id: "d1",
  state: "SUCCESS",
  ephemeral: false,
  created_at: "2026-01-01T00:00:00.000Z",
  request: { name: "start", arguments: { mode: "fast" }, manifest_name: "start_charging" },
  response: done,
};
const entry = (second: number, message: string, severity = "info") => ({
  timestamp: "1970-01-01T00:00:01.000Z",
  received_at: `2026-01-01T00:00:0${second}.000000Z`,
  severity,
  message,
  persist: false,
});
const parameter = (type: string, more: object = {}) => ({ type, display_name: type, ...more });
const manifest = {
  blueprint_spec: "device/3.0",
  display_name: "Charger",
  runtime: { type: "embedded" },
  command_groups: { charging: { display_name: "Charging" } },
  commands: {
    start_charging: {
      group: "charging",
      display_name: "Start charging",
      aliases: ["start"],
      arguments: {
        mode: parameter("string", { required: true, enum: ["fast", "sun"] }),
        energy: parameter("float", { unit: "kW.h", min: 0 }),
      },
      response: { energy: { type: "float", unit: "kW.h" } },
    },
  },
  configuration: {
    wifi: {
      display_name: "Wi-Fi",
      parameters: {
        ssid: parameter("string", { required: true }),
        password: parameter("string", { required: true, sensitive: true }),
        channel: parameter("integer", { min: 1, max: 13, default: 6 }),
      },
    },
  },
};
const device = { id: "d1", name: "Charger", slug: "charger", site_id: SITE, type: "STANDALONE", manifest };

let server: FakeBusbar;
/** What the listener of events hears; after that the server refuses, which ends the command. */
let heard: string;
let stored: Record<string, unknown>;
let logs: readonly object[];

const json = (body: unknown) => (): FakeAnswer => ({ body });
beforeEach(async () => {
  heard = "";
  stored = { ssid: "old", password: "***", channel: 6 };
  logs = [entry(1, "one"), entry(2, "two", "error")];
  let connections = 0;
  server = await startFakeBusbar({
    "GET /v3/sites": json({
      sites: [
        { id: SITE, name: "Plant 1" },
        { id: "s2", name: "Twin" },
        { id: "s3", name: "Twin" },
      ],
      total_count: 3,
    }),
    "GET /v3/devices/charger": json({ device }),
    "GET /v3/devices/d1": json({ device }),
    "GET /v3/devices/charger/commands/executions": json({ executions: [execution], total_count: 9 }),
    [`GET /v3/sites/${SITE}/commands/executions`]: json({ executions: [execution], total_count: 1 }),
    "GET /v3/devices/charger/commands/executions/e1": json({ execution: { ...execution, log: [done, half, started] } }),
    "GET /v3/devices/charger/logs": () => ({ body: { logs: logs.toReversed(), total_count: 5 } }),
    "GET /v3/devices/charger/configuration": json({ configuration: { wifi: stored } }),
    "GET /v3/devices/charger/configuration/wifi": () => ({ body: { bucket: "wifi", values: stored } }),
    "PUT /v3/devices/charger/configuration/wifi": ({ body }) => ({
      body: { bucket: "wifi", values: { ...JSON.parse(body.toString()), password: "***" } },
    }),
    "GET /v3/events": () => {
      if (connections++ > 0) return { status: 401, body: { errors: [{ code: "unauthorized", message: "over" }] } };
      return {
        body: (async function* () {
          yield `retry: 1\n\n${heard}`;
        })(),
      };
    },
  });
});
afterEach(() => server.stop());

async function run(
  words: string | readonly string[],
  world: object = {},
): Promise<Ran & { readonly sent: readonly string[] }> {
  const ran = await runBusbar(words, { env: { BUSBAR_URL: server.url, BUSBAR_TOKEN: "t" }, ...world });
  return { ...ran, sent: server.requests.map(({ method, target, body }) => `${method} ${target} ${body}`.trim()) };
}

test.each<[string, string]>([
  ["execution list charger", "/v3/devices/charger/commands/executions?order=CREATED_AT_DESC"],
  [
    "execution list charger --name start,stop --state error,TIMEOUT --retention ALL --limit 5 --offset 2",
    "/v3/devices/charger/commands/executions?limit=5&offset=2&retention=ALL&order=CREATED_AT_DESC&name.in=start%2Cstop&state.in=ERROR%2CTIMEOUT",
  ],
  [
    "execution list charger --since 2026-01-01T01:00:00+01:00 --to 2026-02-01T00:00:00Z --order CREATED_AT_ASC",
    "/v3/devices/charger/commands/executions?order=CREATED_AT_ASC&created_at.gte=2026-01-01T00%3A00%3A00.000Z&created_at.lt=2026-02-01T00%3A00%3A00.000Z",
  ],
  [
    `execution list --site ${SITE} --device a,b --profile p --profile q --child-type cell --parent c`,
    `/v3/sites/${SITE}/commands/executions?order=CREATED_AT_DESC&device_id.in=a%2Cb&device.profiles.has_all=p%2Cq&device.child_type.in=cell&device.parent_id.in=c`,
  ],
  ["execution get charger e1 -o json", "/v3/devices/charger/commands/executions/e1"],
  ["execution get charger e1 -o json --expand log", "/v3/devices/charger/commands/executions/e1?expand=log"],
  ["device logs charger --show PERSISTED_ONLY", "/v3/devices/charger/logs?show=PERSISTED_ONLY&order=RECEIVED_AT_DESC"],
])("%s asks for %s", async (command, expected) => {
  const { code, err, sent } = await run(command);
  expect([code, sent.at(-1)], err).toEqual([0, `GET ${expected}`]);
});

test("a site may be given by a name that only one has", async () => {
  const { code, sent } = await run(["execution", "list", "--site", "plant 1"]);
  expect([code, sent.at(-1)]).toEqual([0, `GET /v3/sites/${SITE}/commands/executions?order=CREATED_AT_DESC`]);
  expect(await run("execution list --site Twin")).toMatchObject({ code: 2, err: expect.stringContaining("s2  Twin") });
  expect((await run("execution list --site Twim")).err).toContain('did you mean "Twin"?');
});

test("executions are a table that says when there are more", async () => {
  const { out, err } = await run("execution list charger");
  expect(out).toMatch(/^CREATED +ID +COMMAND +STATE +ARGUMENTS +ANSWER$/m);
  expect(out).toMatch(/^2026-01-01T00:00:00.000Z +e1 +start +SUCCESS +mode=fast +energy=4$/m);
  expect(err).toBe("1 of 9; --limit and --offset show more\n");
  expect((await run(`execution list --site ${SITE}`)).out).toMatch(/^DEVICE +CREATED/m);
});

test("the latest execution is meant when none is named", async () => {
  const { out, sent } = await run("execution get charger");
  expect(sent[0]).toBe("GET /v3/devices/charger/commands/executions?limit=1&order=CREATED_AT_DESC&retention=ALL");
  expect(out).toMatch(/^command +start \(start_charging\)$/m);
  expect(out).toMatch(/^2026-01-01T00:00:02.000000Z +IN_PROGRESS +half way$/m);
});

test("watch prints each response, wait does not, both end with the answer", async () => {
  const watched = await run("execution watch charger e1");
  expect(watched.code).toBe(0);
  expect(watched.err).toBe("   1.0s  STARTED\n   2.0s  IN_PROGRESS  half way\n   3.0s  SUCCEEDED    energy=4\n");
  const waited = await run("execution wait charger e1");
  expect(waited).toMatchObject({ code: 0, err: "", out: watched.out });
  expect(JSON.parse((await run("execution wait charger e1 -o json")).out)).toEqual({ execution });
});

test("commands are listed by group and explained", async () => {
  expect((await run("command list charger")).out).toMatch(
    /^Charging +start_charging, start +mode \[energy\] +user +- +Start charging$/m,
  );
  expect(JSON.parse((await run("command list charger -o json")).out)).toEqual({
    command_groups: manifest.command_groups,
    commands: manifest.commands,
  });
  const { out } = await run("command get charger start");
  expect(out).toMatch(/^run +busbar run charger start_charging mode=STRING$/m);
  expect(out).toMatch(/^mode +fast\|sun +yes +string +-$/m);
  expect(out).toMatch(/^energy +float, kW.h, at least 0 +- +float +-$/m);
});

test("logs read downwards, and say when there are more", async () => {
  const { out, err } = await run("device logs charger");
  expect(out).toBe("2026-01-01T00:00:01.000000Z  INFO     one\n2026-01-01T00:00:02.000000Z  ERROR    two\n");
  expect(err).toContain("2 of 5");
  const { logs: given } = JSON.parse((await run("device logs charger -o json")).out);
  expect(given).toEqual(logs);
});

test("--since takes a length of time before now", async () => {
  const before = Date.now();
  const { sent } = await run("device logs charger --since -1h --severity error");
  const from = new URL(`http://x${sent.at(-1)?.slice(4)}`).searchParams.get("received_at_from") ?? "";
  expect(Date.parse(from) - (before - 3_600_000)).toBeGreaterThanOrEqual(0);
  expect(Date.parse(from)).toBeLessThanOrEqual(Date.now() - 3_600_000);
});

const logEvent = (second: number, message: string, severity = "info") => {
  const { received_at, timestamp } = entry(second, message);
  const data = { site_id: SITE, device_id: "d1", log: { severity, message }, timestamp, received_at };
  return `id: r:${second}\nevent: log\ndata: ${JSON.stringify(data)}\n\n`;
};

test("logs are followed without losing or repeating an entry", async () => {
  heard = logEvent(2, "two", "error") + logEvent(3, "three\u001b[2J");
  const { code, out, sent } = await run("device logs charger -f");
  expect(code).toBe(3);
  expect(out.match(/(one|two|three).*/g)).toEqual(["one", "two", "three\\u001b[2J"]);
  expect(sent).toContain("GET /v3/events?kind.in=log&device_id.in=d1");
});

test("followed logs are chosen by severity, and one JSON object a line for programs", async () => {
  logs = [];
  heard = logEvent(3, "three") + logEvent(4, "four", "error");
  const { out } = await run("device logs charger -f --severity error,warning -o json");
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).message),
  ).toEqual(["four"]);
});

test("events are a line each, with the device's slug", async () => {
  const data = { site_id: SITE, device_id: "d1" };
  const alert = { id: "hot", display_name: "Too hot", severity: "warning", state: "SOFT" };
  const runtime = {
    state: "RUNNING",
    since: "T1",
    start_count: 1,
    last_error: null,
    restart_at: null,
    memory_bytes: null,
  };
  const telemetry = { power: { value: 1.5, timestamp: 2.5 }, mode: { value: "eco", timestamp: 1 } };
  heard = [
    logEvent(1, "one", "warning"),
    `event: execution\ndata: ${JSON.stringify({ ...data, execution })}\n\n`,
    `event: connectivity\ndata: ${JSON.stringify({ ...data, connectivity: { status: "ONLINE" }, at: "T" })}\n\n`,
    `event: runtime\ndata: ${JSON.stringify({ ...data, runtime, at: "T" })}\n\n`,
    `event: alert\ndata: ${JSON.stringify({ ...data, change: "raised", at: "T", alert })}\n\n`,
    `event: telemetry\ndata: ${JSON.stringify({ ...data, telemetry })}\n\n`,
    `event: device\ndata: ${JSON.stringify({ ...data, change: "updated", at: "T" })}\n\n`,
    `event: configuration\ndata: ${JSON.stringify({ ...data, bucket: "wifi", at: "T" })}\n\n`,
    'event: gap\ndata: {"kinds":["log"]}\n\n',
  ].join("");
  const { out, err, sent } = await run("events --device charger --kind log,execution,connectivity,alert,telemetry");
  expect(out.split("\n")).toEqual([
    "2026-01-01T00:00:01.000000Z  log            charger  warning: one",
    "2026-01-01T00:00:03.000000Z  execution      charger  start SUCCESS energy=4 (e1)",
    "T  connectivity   charger  ONLINE",
    "T  runtime        charger  RUNNING since T1",
    "T  alert          charger  raised warning SOFT Too hot (hot)",
    "1970-01-01T00:00:02.500Z  telemetry      charger  power=1.5 mode=eco",
    "T  device         charger  updated",
    "T  configuration  charger  wifi changed",
    "",
  ]);
  expect(err).toContain("some events were missed (log)");
  expect(sent).toContain("GET /v3/events?kind.in=log%2Cexecution%2Cconnectivity%2Calert%2Ctelemetry&device_id.in=d1");
  expect(sent.filter((request) => request === "GET /v3/devices/d1")).toHaveLength(1);
});

test("the configuration shows what there is to set", async () => {
  const { out } = await run("device config get charger");
  expect(out).toMatch(/^wifi +password +\*\*\* +string, sensitive +yes +string$/m);
  expect(out).toMatch(/^wifi +channel +6 +integer, 1 to 13, default 6 +- +integer$/m);
  expect((await run("device config get charger wifi")).sent.at(-1)).toBe("GET /v3/devices/charger/configuration/wifi");
});

test.each<[string, object]>([
  ["ssid=new", { ssid: "new", password: "***", channel: 6 }],
  ["channel=11", { ssid: "old", password: "***", channel: 11 }],
  ["channel:=null", { ssid: "old", password: "***" }],
  ["password=open", { ssid: "old", password: "open", channel: 6 }],
])("setting %s leaves the rest as it is", async (words, expected) => {
  const { code, out, err } = await run(`device config set charger wifi ${words}`);
  expect(code, err).toBe(0);
  const [put] = server.requests.filter(({ method }) => method === "PUT");
  expect(JSON.parse(put?.body.toString() ?? "")).toEqual(expected);
  expect(out).not.toContain("open");
});

test("a sensitive parameter is asked for without showing it: when it is named, and when it is missing", async () => {
  for (const [words, present] of [
    ["device config set charger wifi password", stored],
    ["device config set charger wifi ssid=new", { ssid: "old" }],
  ] as const) {
    stored = present;
    const { code, out, err } = await run(words, { answer: "s3cret" });
    expect(code).toBe(0);
    expect(err).toContain("(hidden) string (string, sensitive): ");
    expect(out + err).not.toContain("s3cret");
    const put = server.requests.findLast(({ method }) => method === "PUT");
    expect(JSON.parse(put?.body.toString() ?? "")).toMatchObject({ password: "s3cret" });
  }
});

test.each<[string, string]>([
  ["wifi", "nothing to change: give key=value"],
  ["", "which bucket? it has wifi"],
  ["wify ssid=x", "did you mean wifi?"],
  ["wifi chanel=3", "did you mean channel?"],
  ["wifi channel=14", "channel must be at most 13, not 14"],
])("device config set charger %s is refused: %s", async (words, text) => {
  const { code, err, sent } = await run(`device config set charger ${words}`);
  expect(code).toBe(2);
  expect(err).toContain(text);
  expect(sent.filter((request) => request.startsWith("PUT"))).toEqual([]);
});
