// Profiles over HTTP: uploaded, kept, used at once, and given back.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Device, Validation } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { readZip } from "#service/blueprint/read-zip.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const SPEC = "blueprint_spec: profile/1.0\ndisplay_name: X\ndescription: Y\n";
const folder = mkdtempSync(join(tmpdir(), "busbar-profiles-"));
mkdirSync(dirname(join(folder, "folder/own.yml")), { recursive: true });
writeFileSync(join(folder, "folder/own.yml"), SPEC);
const busbar = useServer(["--blueprints-profiles", folder]);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const zip = (files: Readonly<Record<string, string>>) =>
  packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

const UPLOAD = "/v3/blueprints/upload_device_profiles";
const upload = (files: Readonly<Record<string, string>>) =>
  busbar.admin.call<{ profiles: readonly string[]; diagnostics: readonly object[] }>("POST", UPLOAD, {
    bytes: zip(files),
  });

async function downloaded(): Promise<ReadonlyMap<string, string>> {
  const headers = { "X-Enapter-Auth-Token": busbar.adminToken };
  const answer = await fetch(`${busbar.url}/v3/blueprints/download_device_profiles`, { headers });
  const { files } = readZip(new Uint8Array(await answer.arrayBuffer()));
  return new Map([...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
}

const manifest = (implement: string) =>
  Buffer.from(`blueprint_spec: device/3.0
display_name: ${implement}
runtime: {type: embedded}
implements: ${implement}
telemetry: {flow: {type: float, unit: m3/h, display_name: Flow}}
`);

const validate = async (implement: string) =>
  (await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", { bytes: manifest(implement) })).body
    .diagnostics;

test("an uploaded profile counts at once: for validation, compiled manifests and filters, and after a restart", async () => {
  const bytes = manifest("pump.water");
  expect(await validate("pump.water")).toMatchObject([{ code: "unknown_profile" }]);
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const device = { name: "Pump", slug: "pump", blueprint_id: made.body.blueprint.id };
  expect((await busbar.admin.post("/v3/provisioning/standalone", device)).status).toBe(200);
  type Compiled = { manifest: { implements: readonly string[]; telemetry: { flow: { implements: string[] } } } };
  const compiled = async () => {
    const { manifest: found } = (await busbar.admin.get<Compiled>("/v3/devices/pump/manifest")).body;
    return [found.implements, found.telemetry.flow.implements];
  };
  const having = async () =>
    (await busbar.admin.get<{ devices: readonly Device[] }>("/v3/devices?profiles.has_all=pump.flow")).body.devices.map(
      ({ slug }) => slug,
    );
  expect([await compiled(), await having()]).toEqual([[["pump.water"], []], []]);

  const answer = await upload({
    "README.md": "# Pumps",
    ".github/check.yml": "no: profile",
    "pump/water.yml": `${SPEC}implements: [pump.flow]`,
    "pump/flow.yml": `${SPEC}telemetry: {flow: {display_name: Flow, type: float, unit: m3/h}}`,
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    { profiles: ["pump/flow.yml", "pump/water.yml"].map(idOf), diagnostics: [] },
  ]);
  const after = [[["pump.water", "pump.flow"], ["pump.flow.flow"]], ["pump"]];
  expect(await validate("pump.water")).toEqual([]);
  expect([await compiled(), await having()]).toEqual(after);
  const expanded = await busbar.admin.get<{ device: Compiled }>("/v3/devices/pump?expand=manifest");
  expect(expanded.body.device.manifest.implements).toEqual(["pump.water", "pump.flow"]);
  expect(await downloaded()).toEqual(
    expect.objectContaining(new Map([["pump/flow.yml", expect.stringContaining('"unit": "m3/h"')]])),
  );
  await busbar.restart();
  expect([await compiled(), await having(), await validate("pump.water")]).toEqual([...after, []]);
  expect((await downloaded()).has("pump/water.yml")).toBe(true);
});

const idOf = (path: string) => path.replace(/\.yml$/, "").replaceAll("/", ".");

test("a published profile never changes, whether it was uploaded or lies in the folder; a draft does", async () => {
  const draft = `${SPEC}draft: true\n`;
  expect((await upload({ "kept/one.yml": SPEC, "kept/two.yml": SPEC, "kept/three.yml": draft })).status).toBe(200);
  const other = SPEC.replace("Y", "Z");
  const refused = await upload({ "kept/one.yml": other, "kept/two.yml": other, "kept/new.yml": SPEC });
  expect([refused.status, refused.errors]).toMatchObject([
    409,
    [
      { code: "conflict", message: expect.stringContaining("kept.one"), details: { profile: "kept.one" } },
      { code: "conflict", message: expect.stringContaining("kept.two") },
    ],
  ]);
  const own = await upload({ "folder/own.yml": other });
  expect([own.status, own.errors]).toMatchObject([409, [{ message: expect.stringContaining("folder.own") }]]);
  expect((await upload({ "folder/own.yml": SPEC })).status).toBe(200);
  expect([...(await downloaded()).keys()]).not.toContain("kept/new.yml");
  // The same again is fine, and a draft changes until it is published.
  const again = { "kept/one.yml": SPEC, "kept/three.yml": draft.replace("Y", "Z") };
  expect((await upload(again)).body.profiles).toEqual(["kept.one", "kept.three"]);
  expect((await upload({ "kept/three.yml": SPEC })).status).toBe(200);
  expect((await upload({ "kept/three.yml": draft })).status).toBe(409);
});

test("a profile of Busbar's own library may be replaced, as the ecosystem's profiles do", async () => {
  const soc = `${SPEC}telemetry: {battery_soc: {display_name: Charge, type: float, unit: "%"}}`;
  const files = { "energy/battery.yml": `${SPEC}implements: lib.energy.soc`, "lib/energy/soc.yml": soc };
  expect((await upload(files)).status).toBe(200);
  const text = (await downloaded()).get("energy/battery.yml") ?? "";
  expect(JSON.parse(text)).toMatchObject({ implements: ["lib.energy.soc"] });
});

test("a zip with errors is refused as a whole, each error with its file and place", async () => {
  const refused = await upload({
    "bad/one.yml": "display_nam: X\n",
    "bad/two.yml": `${SPEC}implements: bad.two`,
    "Bad/name.yml": SPEC,
    "bad/fine.yml": SPEC,
  });
  expect(refused.status).toBe(400);
  const places = refused.errors.map(({ code, details }) => [code, details?.["issue"], details?.["file"]]);
  expect(places).toEqual(
    expect.arrayContaining([
      ["invalid_blueprint", "unknown_key", "bad/one.yml"],
      ["invalid_blueprint", "profile_cycle", "bad/two.yml"],
      ["invalid_blueprint", "bad_id", "Bad/name.yml"],
    ]),
  );
  expect((await downloaded()).has("bad/fine.yml")).toBe(false);
  const { status, errors } = await upload({ "README.md": "nothing" });
  expect([status, errors[0]?.code]).toEqual([400, "invalid_body"]);
  for (const bytes of [Buffer.from("no zip"), Buffer.alloc(0), Buffer.from("PK\x03\x04")]) {
    expect((await busbar.admin.call("POST", UPLOAD, { bytes })).status).toBe(400);
  }
  const unknown = await upload({ "odd/one.yml": `${SPEC}implements: odd.none` });
  expect(unknown.body.diagnostics).toMatchObject([{ severity: "warning", path: "odd/one.yml", line: 4 }]);
});

test("only a vendor of all sites uploads profiles, and the audit log names them", async () => {
  const bytes = zip({ "rights/one.yml": SPEC });
  const as = async (fields: object) =>
    (await busbar.as(await busbar.token(fields)).call("POST", UPLOAD, { bytes })).status;
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Some" })).body.site.id;
  expect(await as({ level: "installer" })).toBe(403);
  expect(await as({ level: "vendor", site_ids: [site] })).toBe(403);
  expect((await busbar.anonymous.call("POST", UPLOAD, { bytes })).status).toBe(401);
  expect(await as({ level: "vendor" })).toBe(200);
  const audit = await busbar.admin.get<{ entries: readonly { outcome: string; details: object }[] }>(
    "/v3/audit?action.in=uploadProfiles&order=AT_DESC&limit=1",
  );
  expect(audit.body.entries).toMatchObject([{ outcome: "OK", details: { profiles: ["rights.one"], count: 1 } }]);
});

test("the command line uploads a folder of profiles, and downloads all", async () => {
  const own = mkdtempSync(join(tmpdir(), "busbar-profiles-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  mkdirSync(join(own, "line"));
  writeFileSync(join(own, "README.md"), "# Not a profile");
  writeFileSync(join(own, "line/one.yml"), `${SPEC}implements: line.none`);
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const uploaded = await runBusbar(["blueprint", "profiles", "upload", own], { env });
  expect([uploaded.code, uploaded.out]).toEqual([0, expect.stringContaining("line.one")]);
  expect(uploaded.err).toContain("line/one.yml:4:");
  const file = join(own, "all.zip");
  const saved = await runBusbar(["blueprint", "profiles", "download", "-o", file], { env });
  expect([saved.code, saved.err]).toEqual([0, ""]);
  const { files } = readZip(readFileSync(file));
  expect([...files.keys()]).toContain("line/one.yml");
  // What was downloaded can be uploaded again: nothing changes.
  const again = await runBusbar(["blueprint", "profiles", "upload", file], { env });
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("energy.battery")]);
});
