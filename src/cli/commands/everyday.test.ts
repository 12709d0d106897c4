// Commands for every day: any call, the state of all sites, an alert explained, words completed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../../test/support/fake-busbar.ts";
import { runBusbar, withFolder } from "../../../test/support/run-busbar.ts";

const site = { id: "s1", name: "Plant 1", timezone: "UTC", version: "V3", authorized_role: "OWNER" };
const device = (id: string, status?: string) => ({
  id,
  name: `Battery ${id}`,
  slug: `battery-${id}`,
  site_id: "s1",
  type: "STANDALONE",
  blueprint_id: "00000000-0000-7000-8000-000000000001",
  ...(status !== undefined && { connectivity: { status } }),
});
const alert = {
  id: "overheated",
  device_id: "1",
  site_id: "s1",
  severity: "error",
  state: "HARD",
  display_name: "Too hot",
  description: "The cells are hotter than 60 degrees.",
  troubleshooting: ["Stop charging.", "Check the fans."],
  telemetry: ["temperature"],
  raised_at: "2026-01-01T00:00:00.000Z",
  source: "alerts",
  declared: true,
};
const page = (key: string, items: readonly unknown[]) => ({ body: { [key]: items, total_count: items.length } });
const manifest = { commands: { start: {}, stop: {} } };

let server: FakeBusbar;
let env: { readonly BUSBAR_URL: string };
beforeAll(async () => {
  server = await startFakeBusbar({
    "GET /readyz": () => ({ body: { status: "ready" } }),
    "GET /v3/sites": () => page("sites", [site]),
    "GET /v3/devices": () => page("devices", [device("1", "ONLINE"), device("2", "OFFLINE"), device("3", "UNKNOWN")]),
    "GET /v3/devices/battery-1": () => ({ body: { device: device("1") } }),
    "GET /v3/devices/battery-1/manifest": () => ({ body: { manifest } }),
    "GET /v3/devices/1/alerts": (_, query) => page("alerts", query.get("active") === "true" ? [alert] : []),
    "GET /v3/sites/s1/alerts": () => ({ body: { alerts: [], total_count: 2 } }),
    "GET /v3/sites/s1/commands/executions": () => ({ body: { executions: [], total_count: 1 } }),
    "GET /telemetry/v1/now": () => ({
      body: { devices: { 1: { temperature: { value: 71.5, timestamp: 1 } } }, errors: [] },
    }),
    "POST /v3/echo": ({ body, headers }) => ({
      body: { got: JSON.parse(body.toString()), type: headers["content-type"], wait: headers["prefer"] },
    }),
    "GET /text": () => ({ body: "plain text" }),
  });
  env = { BUSBAR_URL: server.url };
});
afterAll(() => server.stop());

test("the state of all sites is one line each", async () => {
  const { code, out, err } = await runBusbar("status", { env });
  expect([code, err]).toEqual([0, `${server.url}/ is ready\n`]);
  expect(out).toBe(
    [
      "SITE     DEVICES  ONLINE  OFFLINE  UNKNOWN  ALERTS  RUNNING",
      "Plant 1  3        1       1        1        2       1",
      "",
    ].join("\n"),
  );
  expect(JSON.parse((await runBusbar("status -o json", { env })).out).sites).toMatchObject([{ id: "s1", online: 1 }]);
});

test("an alert is explained: what it means, what to do, what the device measures", async () => {
  const { out } = await runBusbar("alert show battery-1 overheated", { env });
  expect(out).toContain("meaning   The cells are hotter than 60 degrees.");
  expect(out).toContain("What to do:\n  1. Stop charging.\n  2. Check the fans.\n");
  expect(out).toContain("Measured now:\n  temperature  71.5\n");
  const { code, err } = await runBusbar("alert show battery-1 overheatd", { env });
  expect([code, err]).toEqual([2, expect.stringContaining("did you mean overheated?")]);
});

test("any call can be made, with a body from the command line, a file or standard input", async () => {
  const posted = async (data: string, more: object = {}) =>
    JSON.parse(
      (await runBusbar(["api", "post", "/v3/echo", "-d", data, "-H", "Prefer: wait=5"], { env, ...more })).out,
    );
  expect(await posted('{"a":1}')).toEqual({ got: { a: 1 }, type: "application/json", wait: "wait=5" });
  expect((await posted("@-", { input: '{"a":2}' })).got).toEqual({ a: 2 });
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "body.json"), '{"a":3}');
    expect((await posted("@body.json", { cwd })).got).toEqual({ a: 3 });
  });
  expect((await runBusbar("api GET /v3/sites", { env })).out).toContain('\n  "sites": [');
  expect((await runBusbar("api GET /nothing", { env })).code).toBe(4);
});

test.each([
  ["api GET v3/sites", "the path must begin with /"],
  ["api FETCH /v3/sites", "GET, POST, PATCH, PUT, DELETE"],
  ["api POST /v3/echo -d @absent.json", "--data: cannot read absent.json (ENOENT)"],
  ["api POST /v3/echo -H Prefer", "Write it like"],
])("%s is refused: %s", async (command, message) => {
  const { code, err } = await runBusbar(command, { env });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

/** The words so far, and what may stand where the last of them is. */
test.each<[readonly string[], readonly string[]]>([
  [["devi"], ["device"]],
  [["device", "cre"], ["create"]],
  [
    ["device", "create", ""],
    ["child", "lua", "standalone"],
  ],
  [["device", "list", "--colu"], ["--columns"]],
  [
    ["device", "list", "-o", ""],
    ["csv", "json", "jsonl", "table", "wide", "yaml"],
  ],
  [
    ["device", "get", ""],
    ["battery-1", "battery-2", "battery-3"],
  ],
  [
    ["run", "battery-1", "st"],
    ["start", "stop"],
  ],
  // Names with spaces would be several words.
  [["device", "list", "--site", ""], ["s1"]],
  [
    ["completion", ""],
    ["bash", "fish", "zsh"],
  ],
  [["__co"], []],
])("%j is completed to %j", async (words, expected) => {
  const { code, out, err } = await runBusbar(["__complete", "--", ...words], { env });
  expect([code, err, out.split("\n").filter(Boolean)]).toEqual([0, "", expected]);
});

test("without a server words are still completed, and nothing is said", async () => {
  const nowhere = { BUSBAR_URL: "http://127.0.0.1:1" };
  expect(await runBusbar(["__complete", "--", "device", "get", ""], { env: nowhere })).toEqual({
    code: 0,
    out: "",
    err: "",
  });
});

test.each(["bash", "zsh", "fish"])("there is a script for %s", async (shell) => {
  expect((await runBusbar(`completion ${shell}`)).out).toContain("busbar");
});

test("a list has the columns that are asked for, for people and as CSV", async () => {
  const { out } = await runBusbar("device list --columns status,device", { env });
  expect(out).toBe("STATUS   DEVICE\nONLINE   battery-1\nOFFLINE  battery-2\nUNKNOWN  battery-3\n");
  expect((await runBusbar("device list -o csv --columns id,site-id", { env })).out).toBe(
    "id,site_id\n1,s1\n2,s1\n3,s1\n",
  );
  expect((await runBusbar("site list -o jsonl", { env })).out).toBe(`${JSON.stringify(site)}\n`);
  const { code, err } = await runBusbar("device list --columns statu", { env });
  expect([code, err]).toEqual([2, expect.stringContaining('there is no column "statu"; did you mean status?')]);
});
