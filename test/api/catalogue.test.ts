// The catalogue over real HTTP: examples, an operator's folder and uploads, in one list.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry, Blueprint, CatalogueEntry, CataloguePage } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "busbar-catalogue-"));
const busbar = useServer(["--blueprints-catalogue", folder]);

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.useRealTimers();
});

const text = (name: string, more = "") =>
  `blueprint_spec: device/3.0\ndisplay_name: ${name}\nruntime: {type: embedded}\n${more}`;

function put(path: string, manifest: string): void {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "manifest.yml"), manifest);
}

let clock = Date.now();

/** What changed in folders is seen some seconds later. */
async function look(query = ""): Promise<CataloguePage> {
  clock += 5_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
  return (await busbar.admin.get<CataloguePage>(`/v3/catalogue?limit=1000&${query}`)).body;
}
const ids = ({ entries }: CataloguePage) => entries.map(({ id }) => id);
const find = async (id: string) => (await look()).entries.find((entry) => entry.id === id);

async function upload(bytes: string | Uint8Array): Promise<Blueprint> {
  const { body } = await busbar.admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", { bytes });
  return body.blueprint;
}

test("the examples are there, in the order of their names, with what they say about themselves", async () => {
  const page = await look();
  const examples = [
    "battery",
    "electrolyser",
    "ev-charger",
    "grid-meter",
    "pv-inverter",
    "sunspec-inverter",
    "weather-station",
  ];
  expect(ids(page).sort()).toEqual(examples.map((name) => `examples.${name}`));
  const names = page.entries.map((entry) => entry.display_name);
  expect(names).toEqual(names.toSorted());
  expect(page.total_count).toBe(examples.length);
  const battery = page.entries.find(({ id }) => id === "examples.battery");
  expect(battery).toMatchObject({
    source: "examples",
    blueprint_id: null,
    display_name: "Battery system",
    category: "battery-systems",
    icon: "battery-charging",
    author: "busbar",
    license: "Apache-2.0",
    runtime: "lua",
    support: { url: null, email: null },
  } satisfies Partial<CatalogueEntry>);
  expect(battery?.offers.profiles).toContain("energy.battery");
  expect(battery?.offers.commands).toBeGreaterThan(2);
  expect(page.categories).toContainEqual({ category: "battery-systems", count: 1 });
});

test.each([
  ["q=battery", "examples.battery"],
  ["q=SYSTEM%20battery", "examples.battery"],
  ["q=energy.battery.control", "examples.battery"],
  ["category=sensors", "examples.weather-station"],
  ["category=SENSORS&q=", "examples.weather-station"],
])("%s finds %s first", async (query, id) => {
  expect(ids(await look(query))[0]).toBe(id);
});

test.each(["q=nothing-has-this-word", "q=battery%20nonsense", "category=hvac", "q=(.*"])(
  "%s finds nothing",
  async (query) => {
    expect(await look(query)).toMatchObject({ entries: [], total_count: 0 });
  },
);

test("pages are cut as everywhere, and a category that does not exist is refused", async () => {
  const all = await look();
  const page = await busbar.admin.get<CataloguePage>("/v3/catalogue?limit=2&offset=1");
  expect(ids(page.body)).toEqual(ids(all).slice(1, 3));
  expect((await busbar.admin.get("/v3/catalogue?category=batteries")).errors[0]?.details).toEqual({
    parameter: "category",
  });
});

test("an entry is taken: it is uploaded once, named in the catalogue, and in the audit log", async () => {
  const take = () => busbar.admin.post<{ blueprint: Blueprint }>("/v3/catalogue/examples.grid-meter/upload", undefined);
  const { blueprint } = (await take()).body;
  expect(blueprint.display_name).toBe((await find("examples.grid-meter"))?.display_name);
  expect((await take()).body.blueprint).toEqual(blueprint);
  expect((await find("examples.grid-meter"))?.blueprint_id).toBe(blueprint.id);
  expect(ids(await look(`q=${blueprint.id}`))).toEqual([]);
  const audit = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?action.in=uploadCatalogueEntry&limit=1");
  expect(audit.body.entries[0]).toMatchObject({ outcome: "OK", target: { blueprint_id: blueprint.id } });
});

test("the package of an entry can be looked at before it is uploaded, and afterwards", async () => {
  const manifestOf = async (id: string) => {
    const { status, content } = await busbar.admin.get(`/v3/catalogue/${id}/zip`);
    expect(status).toBe(200);
    return unpackPackage(new Uint8Array(content)).package?.manifest;
  };
  expect(await manifestOf("examples.battery")).toContain("display_name: Battery system");
  const { id } = await upload(text("Looked at"));
  expect(await manifestOf(`upload.${id}`)).toBe(text("Looked at"));
  for (const missing of ["examples.nothing", "upload.nothing", "folder"]) {
    const { status } = await busbar.admin.get(`/v3/catalogue/${encodeURIComponent(missing)}/zip`);
    expect([missing, status]).toEqual([missing, 404]);
  }
});

test("an operator's folder is searched deeply: folders with a manifest and zips, and nothing behind links", async () => {
  put("solar/acme/x1", text("Acme X1", "category: solar-generators\nauthor: acme"));
  writeFileSync(join(folder, "packed.zip"), packPackage(new Map([["manifest.yml", Buffer.from(text("Packed"))]])));
  put("solar/broken", "blueprint_spec: device/3.0\n");
  put(".hidden/x", text("Hidden"));
  symlinkSync(join(folder, "solar"), join(folder, "link"));
  writeFileSync(join(folder, "notes.txt"), "no blueprint");
  expect(ids(await look()).filter((id) => id.startsWith("folder."))).toEqual(["folder.solar.acme.x1", "folder.packed"]);
  expect(await find("folder.solar.acme.x1")).toMatchObject({ source: "folder", author: "acme", blueprint_id: null });
  for (const id of ["folder.solar.acme.x1", "folder.packed"]) {
    expect((await busbar.admin.post(`/v3/catalogue/${id}/upload`, undefined)).status).toBe(200);
  }
});

test("a package that changes is read again, and one that is gone is gone", async () => {
  put("changing", text("Before"));
  expect((await find("folder.changing"))?.display_name).toBe("Before");
  put("changing", text("After!"));
  utimesSync(join(folder, "changing", "manifest.yml"), 1, 1);
  expect((await find("folder.changing"))?.display_name).toBe("After!");
  rmSync(join(folder, "changing"), { recursive: true });
  expect(await find("folder.changing")).toBeUndefined();
  expect((await busbar.admin.post("/v3/catalogue/folder.changing/upload", undefined)).status).toBe(404);
});

test("of uploaded versions the newest is shown, and taking it gives it back", async () => {
  await upload(text("Uploaded", "description: old"));
  const blueprint = await upload(text("Uploaded", "description: new"));
  const found = (await look("q=uploaded")).entries;
  expect(found.map(({ id, description, source }) => [id, description, source])).toEqual([
    [`upload.${blueprint.id}`, "new", "upload"],
  ]);
  const again = await busbar.admin.post<{ blueprint: Blueprint }>(`/v3/catalogue/${found[0]?.id}/upload`, undefined);
  expect(again.body.blueprint).toEqual(blueprint);
});

test("long texts and lists of an author are cut", async () => {
  const contributors = JSON.stringify(Array.from({ length: 300 }, (_, i) => `person ${i}`));
  await upload(text("Talkative", `description: "${"x".repeat(10_000)}"\ncontributors: ${contributors}`));
  const [entry] = (await look("q=talkative")).entries;
  expect([entry?.description.length, entry?.contributors.length]).toEqual([2_000, 50]);
});

test.each([
  "none",
  "examples.none",
  "examples...",
  "examples.battery.lua",
  "upload.none",
  "folder...%2f..",
  "__proto__",
])("%s is no entry", async (id) => {
  const { status, errors } = await busbar.admin.post(`/v3/catalogue/${id}/upload`, undefined);
  expect([status, errors[0]?.code]).toEqual([404, "not_found"]);
});

test("the command line searches it", async () => {
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const { code, out } = await runBusbar("blueprint search battery", { env });
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^examples\.battery +Battery system +battery-systems +busbar/m),
  ]);
  expect((await runBusbar("blueprint search nothing-has-it -o json", { env })).out).toContain('"total_count": 0');
});
