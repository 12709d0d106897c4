import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Device, Validation } from "#client/resources.ts";
import { EMPTY_BLUEPRINT_ID } from "#core/blueprint/built-in.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { luaManifest, manifest } from "../support/blueprints.ts";
import { readExample, useServer } from "../support/server.ts";

const busbar = useServer();

interface Blueprint {
  readonly id: string;
  readonly display_name: string;
  readonly version: number;
  readonly digest: string;
  readonly size: number;
  readonly implements: readonly string[];
  readonly created_at: string;
  readonly uploaded_by: Readonly<Record<string, unknown>> | null;
}
type Uploaded = { readonly blueprint: Blueprint; readonly diagnostics: readonly { severity: string }[] };

const files = (entries: Readonly<Record<string, string>>) =>
  new Map(Object.entries(entries).map(([path, text]) => [path, Buffer.from(text)]));
const send = (path: string, bytes: Uint8Array | string, type?: string) =>
  busbar.admin.call<Uploaded>("POST", path, {
    bytes,
    ...(type !== undefined && { headers: { "Content-Type": type } }),
  });
const upload = (bytes: Uint8Array | string, type?: string) => send("/v3/blueprints/upload", bytes, type);

function form(content: Uint8Array, boundary = "----curl1"): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="b.zip"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

const LUA = luaManifest("Scripted");

test("an uploaded zip is stored as it is and answered with id, version, digest and size", async () => {
  const zip = packPackage(files({ "manifest.yml": LUA, "main.lua": "return 1" }));
  const { status, body } = await upload(zip);
  expect(status).toBe(200);
  expect(body.blueprint).toMatchObject({
    display_name: "Scripted",
    version: 1,
    digest: createHash("sha256").update(zip).digest("hex"),
    size: zip.length,
    implements: [],
  });
  expect((await busbar.admin.get(`/v3/blueprints/${body.blueprint.id}`)).body).toEqual({ blueprint: body.blueprint });
  const download = await fetch(`${busbar.url}/v3/blueprints/${body.blueprint.id}/zip?view=ORIGINAL`, {
    headers: { "X-Service-Auth-Token": busbar.adminToken },
  });
  expect(download.headers.get("content-type")).toBe("application/zip");
  expect(download.headers.get("content-disposition")).toBe(`attachment; filename="${body.blueprint.id}.zip"`);
  expect(Buffer.from(await download.arrayBuffer()).equals(zip)).toBe(true);
});

test.each([
  ["raw bytes without a type", (zip: Uint8Array): [Uint8Array, string?] => [zip]],
  ["raw bytes as application/zip", (zip) => [zip, "application/zip"]],
  ["raw bytes as a form that curl makes of --data-binary", (zip) => [zip, "application/x-www-form-urlencoded"]],
  ["a form, as curl -F data=@file sends it", (zip) => [form(zip), "multipart/form-data; boundary=----curl1"]],
  ["a form with a quoted boundary", (zip) => [form(zip, "a b"), 'multipart/form-data; boundary="a b"']],
] as [string, (zip: Uint8Array) => [Uint8Array, string?]][])(
  "a zip is taken as %s, and always is the same blueprint",
  async (_, send) => {
    const zip = packPackage(files({ "manifest.yml": manifest("Many ways") }));
    const first = await upload(zip);
    const again = await upload(...send(zip));
    expect(again.body.blueprint).toEqual(first.body.blueprint);
  },
);

test("a bare manifest is taken as YAML and as JSON", async () => {
  const yaml = await upload(manifest("Bare"), "application/yaml");
  expect(yaml.body.blueprint.display_name).toBe("Bare");
  const json = JSON.stringify({ blueprint_spec: "device/3.0", display_name: "Json", runtime: { type: "embedded" } });
  expect((await upload(json, "application/json")).body.blueprint.display_name).toBe("Json");
});

test("the download of a bare manifest comes packed", async () => {
  const text = manifest("Packed");
  const { body } = await upload(text);
  const download = await fetch(`${busbar.url}/v3/blueprints/${body.blueprint.id}/zip`, {
    headers: { "X-Service-Auth-Token": busbar.adminToken },
  });
  const unpacked = unpackPackage(new Uint8Array(await download.arrayBuffer())).package;
  expect(unpacked?.manifest).toBe(text);
});

test("the same bytes give the same id; other bytes under the same name give the next version", async () => {
  const versions = [];
  for (const more of ["", "description: second\n", "", "description: third\n"]) {
    versions.push((await upload(manifest("Versions", more))).body.blueprint);
  }
  expect(versions.map((blueprint) => blueprint.version)).toEqual([1, 2, 1, 3]);
  expect(versions[2]).toEqual(versions[0]);
});

test("warnings do not refuse an upload and come with it", async () => {
  const { body } = await upload(manifest("Warned").replace("unit: kW", "unit: parsec_per_cow"));
  expect(body.diagnostics.map((one) => one.severity)).toEqual(["warning"]);
});

test("profiles of the manifest are listed", async () => {
  const { body } = await upload(readExample("weather-station"));
  expect(body.blueprint.implements).toEqual(["sensor.weather_station", "sensor.rain"]);
});

test("lists are newest first and paged", async () => {
  const { body } = await busbar.admin.get<Page<"blueprints", Blueprint>>("/v3/blueprints");
  const ids = body.blueprints.map((blueprint) => blueprint.id);
  expect(ids).toEqual([...ids].sort().reverse());
  const page = await busbar.admin.get<Page<"blueprints", Blueprint>>("/v3/blueprints?limit=1&offset=1");
  expect(page.body).toEqual({ blueprints: [body.blueprints[1]], total_count: ids.length });
});

const INVALID = `blueprint_spec: device/3.0
runtime:
  type: lau
telemetry:
  power:
    type: number
    display_name: Power
    colour: red
`;

test("an invalid upload is refused with every error and its place, and nothing is stored", async () => {
  const before = (await busbar.admin.get<{ total_count: number }>("/v3/blueprints?limit=0")).body.total_count;
  const refused = await upload(INVALID);
  expect(refused.status).toBe(400);
  expect(refused.errors.map((error) => error.code)).toEqual(refused.errors.map(() => "invalid_blueprint"));
  const places = refused.errors.map((error) => error.details?.["pointer"]);
  for (const place of ["/runtime/type", "/telemetry/power/type", "/telemetry/power/colour"])
    expect(places).toContain(place);
  for (const { details } of refused.errors) {
    expect(details).toEqual({
      issue: expect.stringMatching(/^[a-z_]+$/),
      pointer: expect.any(String),
      line: expect.any(Number),
      column: expect.any(Number),
    });
  }
  const after = (await busbar.admin.get<{ total_count: number }>("/v3/blueprints?limit=0")).body.total_count;
  expect(after).toBe(before);
});

test("validate finds the same errors, as values, and needs no token", async () => {
  const refused = await upload(INVALID);
  const { status, body } = await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", {
    bytes: INVALID,
  });
  expect(status).toBe(200);
  expect(body.validation_errors).toHaveLength(refused.errors.length);
  const errors = body.diagnostics?.filter((one) => one.severity === "error") ?? [];
  expect(errors.map((one) => one.message)).toEqual(refused.errors.map((error) => error.message));
  for (const one of errors) expect(one.line).toBeGreaterThanOrEqual(1);
});

test("validate of a valid manifest finds nothing and stores nothing", async () => {
  const bytes = manifest("Only looked at");
  const { body } = await busbar.anonymous.call("POST", "/v3/blueprints/validate", { bytes });
  expect(body).toEqual({ validation_errors: [], diagnostics: [] });
  expect((await busbar.admin.get("/v3/blueprints?limit=1000")).text).not.toContain("Only looked at");
});

test.each([
  ["nothing", ""],
  ["a zip that is cut off", packPackage(files({ "manifest.yml": manifest("Cut") })).subarray(0, 60)],
  ["a zip without a manifest", packPackage(files({ "readme.md": "hello" }))],
  ["random bytes", Buffer.from(Array.from({ length: 500 }, (_, i) => (i * 7919) % 256))],
  ["a word", "hello"],
  ["a zip whose script is missing", packPackage(files({ "manifest.yml": LUA }))],
])("an upload of %s is 400 with errors, and validate answers 200 with them", async (_, bytes) => {
  expect((await upload(bytes)).status).toBe(400);
  const checked = await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", { bytes });
  expect(checked.body.validation_errors?.length).toBeGreaterThan(0);
});

test.each([
  ["no boundary", "multipart/form-data", form(Buffer.from("x"))],
  ["another boundary", "multipart/form-data; boundary=other", form(Buffer.from("x"))],
  ["no end", "multipart/form-data; boundary=----curl1", form(Buffer.from("x")).subarray(0, 120)],
  [
    "two parts",
    "multipart/form-data; boundary=----curl1",
    Buffer.concat([form(Buffer.from("x")).subarray(0, -4), Buffer.from("\r\n"), form(Buffer.from("y"))]),
  ],
])("a form with %s is refused", async (_, type, bytes) => {
  const refused = await upload(bytes, type);
  expect(refused.errors[0]?.code).toBe("invalid_body");
});

test("an unknown blueprint is 404", async () => {
  for (const path of ["", "/zip"]) {
    expect((await busbar.admin.get(`/v3/blueprints/019a8c00-0000-7000-8000-0000000000bb${path}`)).status).toBe(404);
  }
});

test("assigning a blueprint reports what changes against the former one", async () => {
  const [first, second] = [
    (await upload(manifest("Assigned"))).body.blueprint.id,
    (await upload(manifest("Assigned").replace("power:", "energy:").replace("type: float", "type: integer"))).body
      .blueprint.id,
  ];
  const { device_id } = (
    await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "Assigned" })
  ).body;
  const assign = async (blueprint_id: string) =>
    (
      await busbar.admin.post<{ device: Device; changes: { kind: string; path: string; breaking: boolean }[] }>(
        `/v3/devices/${device_id}/assign_blueprint`,
        { blueprint_id },
      )
    ).body;
  expect(await assign(first)).toMatchObject({ device: { id: device_id, blueprint_id: first }, changes: [] });
  const { device, changes } = await assign(second);
  expect(device.blueprint_id).toBe(second);
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: "removed", path: "/telemetry/power", breaking: true }),
  );
  expect(changes).toContainEqual(
    expect.objectContaining({ kind: "added", path: "/telemetry/energy", breaking: false }),
  );
  expect((await assign(second)).changes).toEqual([]);
});

test("assigning an unknown blueprint is 404 and changes nothing", async () => {
  const { device_id } = (
    await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "Kept" })
  ).body;
  const blueprint_id = "019a8c00-0000-7000-8000-0000000000bb";
  expect((await busbar.admin.post(`/v3/devices/${device_id}/assign_blueprint`, { blueprint_id })).status).toBe(404);
  expect((await busbar.admin.get<{ device: Device }>(`/v3/devices/${device_id}`)).body.device.blueprint_id).toBe(
    EMPTY_BLUEPRINT_ID,
  );
});

test("the manifest language is served as a JSON Schema, without a token", async () => {
  const { body } = await busbar.anonymous.get<{ type: string; required: string[] }>("/schemas/device-3.0.json");
  expect(body.required).toContain("blueprint_spec");
});

test("a blueprint names who uploaded it and how, for owners of all sites and whoever did it", async () => {
  const site = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Here", timezone: "UTC" });
  const of = async (fields: object) => busbar.as(await busbar.token({ name: "uploader", ...fields }));
  const uploader = await of({ name: "Ada", level: "owner", site_ids: [site.body.site.id] });
  const bytes = manifest("Whose");
  const { body } = await uploader.call<Uploaded>("POST", "/v3/blueprints/upload", {
    bytes,
    headers: { "X-Busbar-Door": "cli" },
  });
  expect(body.blueprint.uploaded_by).toMatchObject({ name: "Ada", account_id: null, door: "cli", reported_by: null });
  await upload(bytes);
  const seen = async ({ get }: typeof busbar.admin) => [
    (await get<Uploaded>(`/v3/blueprints/${body.blueprint.id}`)).body.blueprint.uploaded_by,
    (await get<{ blueprints: readonly Blueprint[] }>("/v3/blueprints")).body.blueprints.find(
      ({ id }) => id === body.blueprint.id,
    )?.uploaded_by,
    (await get<Uploaded>("/v3/blueprints/enapter/whose/latest")).body.blueprint.uploaded_by,
  ];
  for (const one of [busbar.admin, uploader])
    expect(await seen(one)).toEqual(Array(3).fill(body.blueprint.uploaded_by));
  for (const other of [await of({ level: "user" }), await of({ level: "owner", site_ids: [site.body.site.id] })]) {
    expect(await seen(other)).toEqual([null, null, null]);
  }
});
