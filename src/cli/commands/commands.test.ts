import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../../test/support/fake-busbar.ts";
import { type Ran, runBusbar, withFolder } from "../../../test/support/run-busbar.ts";

const site = {
  id: "s1",
  name: "Plant 1",
  timezone: "Europe/Berlin",
  version: "V3",
  authorized_role: "OWNER",
  location: { name: "Hamburg", latitude: 53.55, longitude: 9.99 },
};
const device = {
  id: "d1",
  name: "电池 1",
  slug: "battery-1",
  site_id: "s1",
  blueprint_id: "00000000-0000-7000-8000-000000000001",
  type: "STANDALONE",
  parent_id: null,
  child_type: null,
  authorized_role: "OWNER",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
};
const token = {
  id: "t1",
  name: "grafana",
  level: "readonly",
  site_ids: null,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
};
const entry = {
  id: "a1",
  at: "2026-01-01T00:00:00.000Z",
  count: 3,
  last_at: "2026-01-01T00:05:00.000Z",
  actor: null,
  action: "createSite",
  target: { site_id: "s1" },
  outcome: "REFUSED",
  code: "unauthorized",
  request_id: "r1",
  remote_address: "10.0.0.9",
  details: {},
};
const blueprint = {
  id: "b1",
  display_name: "Meter",
  version: 2,
  digest: "ab",
  size: 12,
  created_at: "2026-01-01T00:00:00.000Z",
};
const config = {
  mqtt_host: "127.0.0.1",
  mqtt_port: 1883,
  mqtt_protocol: "MQTT",
  mqtt_credentials: { username: "u", password: "p" },
  hardware_id: "h",
  channel_id: "c",
  time_sync_protocol: "HTTP",
  time_sync_host: "127.0.0.1",
  time_sync_port: 8080,
};
const warning = { severity: "warning", code: "unknown_unit", message: "no such unit", path: "/x", line: 9, column: 11 };
const changes = [
  { kind: "removed", path: "/telemetry/power", breaking: true, message: "power is gone" },
  { kind: "text", path: "/display_name", breaking: false, message: "another name" },
];
const runtime = {
  state: "QUARANTINED",
  since: "T1",
  start_count: 3,
  last_error: { message: "attempt to index nil", file: "src/main.lua", line: 12, at: "T0" },
  restart_at: "T2",
  memory_bytes: 2049,
};
const ZIP = Uint8Array.from([0x50, 0x4b, 3, 4, 255, 0]);

let server: FakeBusbar;
beforeAll(async () => {
  const json = (body: unknown) => () => ({ body });
  server = await startFakeBusbar({
    "GET /healthz": json({ status: "ok" }),
    "GET /readyz": json({ status: "ready" }),
    "GET /v3/sites": json({ sites: [site], total_count: 1 }),
    "POST /v3/sites": json({ site }),
    "GET /v3/sites/s1": json({ site }),
    "PATCH /v3/sites/s1": json({ site }),
    "DELETE /v3/sites/s1": json({}),
    "GET /v3/devices": json({ devices: [device], total_count: 1 }),
    "GET /v3/sites/s1/devices": json({ devices: [{ ...device, connectivity: { status: "ONLINE" } }], total_count: 1 }),
    "GET /v3/devices/d1": json({ device }),
    "PATCH /v3/devices/d1": json({ device }),
    "DELETE /v3/devices/d1": json({}),
    "GET /v3/devices/d1/properties": json({ properties: { vendor: "ACME", count: 3, deep: { a: 1 } } }),
    "GET /v3/devices/d1/manifest": json({ manifest: { blueprint_spec: "device/3.0", display_name: "Meter" } }),
    "POST /v3/devices/d1/assign_blueprint": json({ device, changes }),
    "GET /v3/devices/d1/runtime": json({ runtime }),
    "GET /v3/devices/d2/runtime": json({ runtime: null }),
    "POST /v3/devices/d1/runtime/restart": json({ runtime: { ...runtime, state: "RUNNING", last_error: null } }),
    "POST /v3/devices/d1/generate_config": json({ config }),
    "POST /v3/provisioning/standalone": json({ device_id: "d1" }),
    "POST /v3/provisioning/lua_device": json({ device_id: "d1" }),
    "POST /v3/provisioning/child_device": json({ device_id: "d1" }),
    "GET /v3/tokens": json({ tokens: [token], total_count: 1 }),
    "POST /v3/tokens": json({ id: "t1", token: "bb_the-secret" }),
    "DELETE /v3/tokens/t1": json({}),
    "GET /v3/blueprints": json({ blueprints: [blueprint], total_count: 1 }),
    "GET /v3/blueprints/b1": json({ blueprint }),
    "POST /v3/blueprints/upload": json({ blueprint, diagnostics: [warning] }),
    "GET /v3/blueprints/b1/zip": () => ({ body: ZIP }),
    "GET /v3/audit": json({ entries: [entry], total_count: 7 }),
  });
});
afterAll(() => server.stop());

/** Runs a command against the fake. What it sent is `METHOD target body`, one per request. */
async function run(
  command: string | readonly string[],
  world: object = {},
): Promise<Ran & { readonly sent: readonly string[] }> {
  const before = server.requests.length;
  const ran = await runBusbar(command, { env: { BUSBAR_URL: server.url, BUSBAR_TOKEN: "t" }, ...world });
  const sent = server.requests.slice(before).map(({ method, target, body }) => `${method} ${target} ${body}`.trim());
  return { ...ran, sent };
}

/** The last request that a command sends. */
test.each<[string, string]>([
  ["site list --limit 2 --offset 1", "GET /v3/sites?limit=2&offset=1"],
  ["site get s1", "GET /v3/sites/s1"],
  ["site get -s s1", "GET /v3/sites/s1"],
  ["site create New -t UTC", 'POST /v3/sites {"timezone":"UTC","name":"New"}'],
  [
    "site create --name New -l X,Y,1.5,-2",
    'POST /v3/sites {"name":"New","location":{"name":"X,Y","latitude":1.5,"longitude":-2}}',
  ],
  ["site create New -l Hamburg", 'POST /v3/sites {"location":{"name":"Hamburg"},"name":"New"}'],
  ["site update s1 --name Other", 'PATCH /v3/sites/s1 {"name":"Other"}'],
  ["site update s1 --no-location", 'PATCH /v3/sites/s1 {"clear":["location"]}'],
  ["site delete s1 --yes", "DELETE /v3/sites/s1"],
  ["device list --limit 9", "GET /v3/devices?limit=9&expand=connectivity"],
  [
    "device list -s s1 --limit 9 --expand manifest --expand properties,site",
    "GET /v3/sites/s1/devices?limit=9&expand=manifest%2Cproperties%2Csite%2Cconnectivity",
  ],
  ["device get d1 --expand connectivity", "GET /v3/devices/d1?expand=connectivity"],
  ["device get -d d1", "GET /v3/devices/d1?expand=connectivity"],
  ["device get d1 -o json", "GET /v3/devices/d1"],
  [
    "device update d1 --name N --slug n --parent-id p --child-type t",
    'PATCH /v3/devices/d1 {"name":"N","slug":"n","parent_id":"p","child_type":"t"}',
  ],
  ["device update d1 --no-parent", 'PATCH /v3/devices/d1 {"parent_id":null}'],
  ["device delete d1 -y", "DELETE /v3/devices/d1"],
  ["device assign-blueprint d1 -b b1", 'POST /v3/devices/d1/assign_blueprint {"blueprint_id":"b1"}'],
  ["device change-blueprint -d d1 --blueprint-id b1", 'POST /v3/devices/d1/assign_blueprint {"blueprint_id":"b1"}'],
  ["device generate-config d1", 'POST /v3/devices/d1/generate_config {"protocol":"MQTT"}'],
  ["token revoke t1 --yes", "DELETE /v3/tokens/t1"],
  [
    "token create x --level user --site-id s1,00000000-0000-7000-8000-000000000002 --expires-in 90d",
    'POST /v3/tokens {"name":"x","level":"user","site_ids":["s1","00000000-0000-7000-8000-000000000002"],"expires_in":"90d"}',
  ],
  [
    "audit list --outcome REFUSED --action a,b --from 2026-01-01T00:00:00Z --limit 3 -o json",
    "GET /v3/audit?at.gte=2026-01-01T00%3A00%3A00.000Z&action.in=a%2Cb&outcome.in=REFUSED&order=AT_DESC&limit=3",
  ],
  [
    "audit list --actor anna --door cli,page --limit 3 -o json",
    "GET /v3/audit?actor.in=anna&door.in=cli%2Cpage&order=AT_DESC&limit=3",
  ],
])("%s sends %s", async (command, expected) => {
  const { code, err, sent } = await run(command);
  expect([code, sent.at(-1)], err).toEqual([0, expected]);
});

test.each<[string, string]>([
  [
    "device create standalone N -s s1 --slug n",
    'POST /v3/provisioning/standalone {"name":"N","slug":"n","site_id":"s1"}',
  ],
  ["device create standalone -n N --device-slug n", 'POST /v3/provisioning/standalone {"name":"N","slug":"n"}'],
  ["device create lua N -b b1", 'POST /v3/provisioning/lua_device {"name":"N","blueprint_id":"b1"}'],
  [
    "device create lua-device N -b b1 -s s1",
    'POST /v3/provisioning/lua_device {"name":"N","site_id":"s1","blueprint_id":"b1"}',
  ],
  [
    "device create child N --parent-id d1 --child-type cell",
    'POST /v3/provisioning/child_device {"name":"N","parent_id":"d1","child_type":"cell"}',
  ],
])("%s sends %s and shows the new device", async (command, expected) => {
  const { code, out, sent } = await run(command);
  expect(code).toBe(0);
  expect(sent.filter((request) => !request.startsWith("GET /v3/sites"))).toEqual([expected, "GET /v3/devices/d1"]);
  expect(out).toMatch(/^id +d1$/m);
});

test.each([
  [
    "device status d1",
    "QUARANTINED since T1, starts again at T2, started 3 times, 3 KiB; last error at T0: src/main.lua:12: attempt to index nil",
  ],
  ["device status d2", "it connects by itself: nothing of it runs here"],
  ["device restart d1", "RUNNING since T1, starts again at T2, started 3 times, 3 KiB"],
])("%s shows how the script does: %s", async (command, expected) => {
  expect((await run(command)).out).toBe(`${expected}\n`);
});

test("lists are aligned tables for people", async () => {
  expect((await run("site list")).out).toBe(
    [
      "ID  NAME     TIME ZONE      LOCATION               YOUR ROLE",
      "s1  Plant 1  Europe/Berlin  Hamburg (53.55, 9.99)  OWNER",
      "",
    ].join("\n"),
  );
  expect((await run("device list --site-id s1 --expand connectivity")).out).toBe(
    ["DEVICE     NAME    TYPE        STATUS", "battery-1  电池 1  STANDALONE  ONLINE", ""].join("\n"),
  );
  expect((await run("token list")).out).toMatch(
    /^t1 +grafana +readonly +all +2026-01-01T00:00:00.000Z +never +never +none +-$/m,
  );
  expect((await run("blueprint list")).out).toMatch(/^b1 +Meter +2 +12 +2026/m);
});

test.each<[string, unknown]>([
  ["site list", { sites: [site], total_count: 1 }],
  ["site get s1", { site }],
  ["site delete s1 --yes", {}],
  ["device get d1", { device }],
  ["device properties d1", { properties: { vendor: "ACME", count: 3, deep: { a: 1 } } }],
  ["device generate-config d1", { config }],
  ["token create x --level user", { id: "t1", token: "bb_the-secret" }],
  ["audit list", { entries: [entry], total_count: 7 }],
])("%s -o json is the answer of the interface", async (command, expected) => {
  expect(JSON.parse((await run(`${command} -o json`)).out)).toEqual(expected);
});

test("-o yaml is the same answer as YAML", async () => {
  expect((await run("token list -o yaml")).out).toMatch(/^tokens:\n {2}- id: t1\n {4}name: grafana\n/);
});

test("a device's properties and manifest are readable", async () => {
  expect((await run("device properties d1")).out).toBe(
    'PROPERTY  VALUE\nvendor    ACME\ncount     3\ndeep      {"a":1}\n',
  );
  expect((await run("device manifest d1")).out).toBe("blueprint_spec: device/3.0\ndisplay_name: Meter\n");
});

test("a new token is alone on stdout, so that a script can take it", async () => {
  const { out, err } = await run("token create x --level user");
  expect(out).toBe("bb_the-secret\n");
  expect(err).toContain("shown this once; its id is t1");
});

test("an audit list that is not complete says so", async () => {
  const { out, err } = await run("audit list");
  expect(out).toMatch(
    /^2026-01-01T00:00:00.000Z +- +- +createSite +REFUSED unauthorized +site=Plant 1 +- +3, last 2026-01-01T00:05:00.000Z +10.0.0.9$/m,
  );
  expect(err).toContain("1 of 7; --limit");
});

test("health succeeds when the server is ready", async () => {
  expect(await run("health")).toMatchObject({ code: 0, out: expect.stringContaining("ready") });
});

test("without limit a list is fetched page by page to its end", async () => {
  expect((await run("site list")).sent).toEqual(["GET /v3/sites?limit=500&offset=0"]);
});

test.each<[string | undefined, boolean, number]>([
  ["y", true, 0],
  ["YES", true, 0],
  ["", false, 2],
  ["n", false, 2],
  [undefined, false, 2],
])("when the answer to a deletion is %j, it happens: %s", async (answer, happens, expected) => {
  const { code, err, sent } = await run("site delete s1", { answer });
  expect(code).toBe(expected);
  expect(sent.includes("DELETE /v3/sites/s1")).toBe(happens);
  expect(err).toContain('Delete the site "Plant 1" (s1)?');
});

test("a blueprint goes up as folder, zip or manifest", async () => {
  await withFolder(async (folder) => {
    const path = (name: string) => join(folder, name);
    mkdirSync(path("pack"));
    writeFileSync(path("pack/manifest.yml"), "blueprint_spec: device/3.0\n");
    writeFileSync(path("pack/main.lua"), "-- nothing\n");
    writeFileSync(path("ready.zip"), ZIP);
    const bodies = [];
    for (const name of ["pack", "ready.zip", "pack/manifest.yml"]) {
      expect((await run(["blueprint", "upload", path(name)])).code).toBe(0);
      bodies.push(server.requests.at(-1)?.body);
    }
    expect(bodies[0]?.subarray(0, 4)).toEqual(Buffer.from("PK\u0003\u0004"));
    expect(bodies[0]?.includes("main.lua")).toBe(true);
    expect(bodies[1]).toEqual(Buffer.from(ZIP));
    expect(bodies[2]?.toString()).toBe("blueprint_spec: device/3.0\n");
    const created = await run(["device", "create", "lua", "N", "--blueprint-path", path("pack")]);
    expect(created.sent[1]).toBe('POST /v3/provisioning/lua_device {"name":"N","blueprint_id":"b1"}');
  });
});

test("what another blueprint warns of and changes is printed beside the answer", async () => {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, "manifest.yml"), "x");
    const { code, err } = await run(["device", "assign-blueprint", "d1", "--blueprint-path", folder]);
    expect(code).toBe(0);
    expect(err).toBe("manifest.yml:9:11: warning: no such unit\nBREAKING power is gone\nanother name\n");
  });
});

test.each([
  ["manifest.yaml", "."],
  ["meter.yaml", "meter.yaml"],
])("warnings about %s name the file as it is", async (file, given) => {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, file), "x");
    const { err } = await run(["device", "assign-blueprint", "d1", "--blueprint-path", join(folder, given)]);
    expect(err).toContain(`${file}:9:11: warning: no such unit\n`);
  });
});

test("a folder that is no blueprint is refused before anything is sent", async () => {
  await withFolder(async (folder) => {
    const { code, err, sent } = await run(["blueprint", "upload", folder]);
    expect([code, sent]).toEqual([2, []]);
    expect(err).toContain("There is no manifest.yml in it.");
    expect((await run(["blueprint", "upload", join(folder, "none")])).err).toContain("no such file");
  });
});

test("a blueprint comes down byte for byte and replaces no file unasked", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "b.zip");
    const download = (...more: string[]) => run(["blueprint", "download", "b1", "--output", file, ...more]);
    expect(await download()).toMatchObject({ code: 0, out: `${file}\n` });
    expect(readFileSync(file)).toEqual(Buffer.from(ZIP));
    expect(await download()).toMatchObject({ code: 2, err: expect.stringContaining("add --force") });
    expect((await download("--force")).code).toBe(0);
    expect((await run("blueprint download -b b1 -o -")).out).toBe(Buffer.from(ZIP).toString("latin1"));
  });
});
