import { beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Device, Site } from "#client/resources.ts";
import { instant } from "#core/time/instant.ts";
import { manifest } from "../support/blueprints.ts";
import { readExample, useServer } from "../support/server.ts";

const busbar = useServer();

type DeviceAnswer = { readonly device: Device };
type DeviceList = Page<"devices", Device>;

let site: string;
let otherSite: string;
let station: string;

const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
const upload = async (bytes: Uint8Array | string) =>
  (await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes })).body.blueprint
    .id;
async function provision(kind: "standalone" | "lua_device" | "child_device", body: object): Promise<string> {
  const made = await busbar.admin.post<{ device_id: string }>(`/v3/provisioning/${kind}`, { site_id: site, ...body });
  return made.body.device_id;
}
const read = async (idOrSlug: string, query = "") =>
  (await busbar.admin.get<DeviceAnswer>(`/v3/devices/${idOrSlug}${query}`)).body.device;
const ids = async (path: string) => (await busbar.admin.get<DeviceList>(path)).body.devices.map((device) => device.id);

beforeAll(async () => {
  site = await newSite("Devices");
  otherSite = await newSite("Others");
  station = await upload(readExample("weather-station"));
});

test("a device has every field of its resource", async () => {
  const id = await provision("standalone", { name: "Roof inverter", blueprint_id: station });
  expect(await read(id)).toEqual({
    id,
    name: "Roof inverter",
    slug: "roof-inverter",
    site_id: site,
    blueprint_id: station,
    type: "STANDALONE",
    parent_id: null,
    child_type: null,
    authorized_role: "SYSTEM",
    created_at: expect.stringMatching(/\.\d{3}Z$/),
    updated_at: expect.stringMatching(/\.\d{3}Z$/),
  });
});

test("a device is found by its id, in any case, and by its slug", async () => {
  const id = await provision("standalone", { name: "By slug", slug: "my_Slug-1" });
  for (const address of [id, id.toUpperCase(), "my_Slug-1"]) expect((await read(address)).id).toBe(id);
  expect((await busbar.admin.get("/v3/devices/MY_SLUG-1")).status).toBe(404);
});

test("a slug that devices of several visible sites have is ambiguous, and clear to a token of one site", async () => {
  const id = await provision("standalone", { name: "Twin", slug: "twin" });
  await provision("standalone", { name: "Twin", slug: "twin", site_id: otherSite });
  const refused = await busbar.admin.get("/v3/devices/twin");
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "slug_ambiguous"]);
  const session = busbar.as(await busbar.token({ site_ids: [site] }));
  expect((await session.get<DeviceAnswer>("/v3/devices/twin")).body.device.id).toBe(id);
  // The path names the site, so nothing is ambiguous about it.
  const inSite = await busbar.admin.get<DeviceAnswer>(`/v3/sites/${site}/devices/twin`);
  expect(inSite.body.device.id).toBe(id);
});

test("without a slug a device gets the first free one made from its name", async () => {
  const slugs = [];
  for (let i = 0; i < 3; i++) slugs.push((await read(await provision("standalone", { name: "Wärmepumpe" }))).slug);
  expect(slugs).toEqual(["warmepumpe", "warmepumpe-2", "warmepumpe-3"]);
});

test("a slug is unique within its site only", async () => {
  await provision("standalone", { name: "A", slug: "taken" });
  const body = { name: "B", slug: "taken", site_id: site };
  const refused = await busbar.admin.post("/v3/provisioning/standalone", body);
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "slug_taken"]);
  expect((await busbar.admin.post("/v3/provisioning/standalone", { ...body, site_id: otherSite })).status).toBe(200);
});

test.each(["-a", "a b", "ä", "a/b", "x".repeat(65), "019a8c00-0000-7000-8000-000000000001"])(
  "%j is no slug",
  async (slug) => {
    const refused = await busbar.admin.post("/v3/provisioning/standalone", { name: "A", site_id: site, slug });
    expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/slug" } });
  },
);

test.each(["constructor", "toString", "hasOwnProperty"])("%s is an ordinary slug", async (slug) => {
  const id = await provision("standalone", { name: "A", slug });
  expect((await read(slug)).id).toBe(id);
});

test("a patch changes name, slug, parent and child type, and keeps the rest", async () => {
  const parent = await provision("standalone", { name: "Gateway box" });
  const id = await provision("standalone", { name: "Old name" });
  const before = await read(id);
  const renamed = await busbar.admin.patch<DeviceAnswer>(`/v3/devices/${before.slug}`, { name: "New name", slug: "" });
  expect(renamed.body.device).toMatchObject({ id, name: "New name", slug: "old-name" });
  const moved = await busbar.admin.patch<DeviceAnswer>(`/v3/devices/${id}`, {
    slug: "moved",
    parent_id: "gateway-box",
    child_type: "meter",
  });
  expect(moved.body.device).toMatchObject({ name: "New name", slug: "moved", parent_id: parent, child_type: "meter" });
  expect(moved.body.device.created_at).toBe(before.created_at);
  expect(moved.body.device.updated_at >= before.updated_at).toBe(true);
});

test("an empty patch changes nothing", async () => {
  const before = await read(await provision("standalone", { name: "Still" }));
  const after = await busbar.admin.patch<DeviceAnswer>(`/v3/devices/${before.id}`, { name: null, slug: "" });
  expect(after.body.device).toEqual(before);
});

test("null takes a parent away, and with it the child type; a device of type CHILD keeps one", async () => {
  const parent_id = await provision("standalone", { name: "Holder" });
  const id = await provision("standalone", { name: "Held" });
  const patch = (change: object) => busbar.admin.patch<DeviceAnswer>(`/v3/devices/${id}`, change);
  await patch({ parent_id, child_type: "meter" });
  expect((await patch({ child_type: null })).body.device).toMatchObject({ parent_id, child_type: null });
  await patch({ child_type: "meter" });
  expect((await patch({ parent_id: "" })).body.device).toMatchObject({ parent_id, child_type: "meter" });
  expect((await patch({ parent_id: null, child_type: "meter" })).errors[0]).toMatchObject({ code: "conflict" });
  expect((await patch({ parent_id: null })).body.device).toMatchObject({ parent_id: null, child_type: null });
  expect(await read(id)).toMatchObject({ parent_id: null, child_type: null });
  const child = await provision("child_device", { name: "Child", parent_id, child_type: "x" });
  expect((await busbar.admin.patch(`/v3/devices/${child}`, { parent_id: null })).errors[0]).toMatchObject({
    code: "conflict",
    details: { pointer: "/parent_id" },
  });
});

test("a device is never its own parent, not even over others", async () => {
  const top = await provision("standalone", { name: "Top" });
  const middle = await provision("child_device", { name: "Middle", parent_id: top, child_type: "x" });
  const bottom = await provision("child_device", { name: "Bottom", parent_id: middle, child_type: "x" });
  for (const parent_id of [top, middle, bottom]) {
    const refused = await busbar.admin.patch(`/v3/devices/${top}`, { parent_id });
    expect([refused.status, refused.errors[0]?.code]).toEqual([409, "conflict"]);
  }
});

test("a parent is a device of the same site", async () => {
  const elsewhere = await provision("standalone", { name: "Elsewhere", site_id: otherSite });
  const id = await provision("standalone", { name: "Here" });
  expect((await busbar.admin.patch(`/v3/devices/${id}`, { parent_id: elsewhere })).status).toBe(409);
  expect((await busbar.admin.patch(`/v3/devices/${id}`, { parent_id: "nobody" })).status).toBe(404);
});

test("only a device with a parent has a child type", async () => {
  const id = await provision("standalone", { name: "Orphan" });
  const refused = await busbar.admin.patch(`/v3/devices/${id}`, { child_type: "meter" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "conflict"]);
});

test("people say what a device is to the energy of its site, and leave it to be guessed again", async () => {
  const id = await provision("standalone", { name: "Sub-meter" });
  const patch = async (energy_role: unknown) =>
    await busbar.admin.patch<{ device: Device }>(`/v3/devices/${id}`, { energy_role });
  for (const role of ["grid", "production", "battery", "load", "none", "auto"] as const) {
    const expected = role === "auto" ? undefined : role;
    expect((await patch(role)).body.device.energy_role).toBe(expected);
    expect((await read(id)).energy_role).toBe(expected);
  }
  await patch("load");
  expect((await patch(null)).body.device.energy_role).toBe("load");
  for (const wrong of ["GRID", "toString", "x".repeat(10_000), 1, ["grid"], {}]) {
    expect((await patch(wrong)).errors[0]).toMatchObject({
      code: "invalid_body",
      details: { pointer: "/energy_role" },
    });
  }
  const user = busbar.as(await busbar.token({ level: "user" }));
  expect((await user.patch(`/v3/devices/${id}`, { energy_role: "grid" })).status).toBe(403);
  expect((await read(id)).energy_role).toBe("load");
  const { body } = await busbar.admin.get<{ entries: { details: object }[] }>(
    "/v3/audit?action.in=updateDevice&outcome.in=OK&limit=1",
  );
  expect(body.entries[0]?.details).toEqual({ energyRole: "load" });
});

test.each(["\u0000", " ", "a\nb", "x".repeat(101)])("%j is no child type", async (child_type) => {
  const body = { name: "C", site_id: site, parent_id: await provision("standalone", { name: "P" }), child_type };
  const refused = await busbar.admin.post("/v3/provisioning/child_device", body);
  expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/child_type" } });
});

test("a device with children is not deleted; without them it is, and is gone", async () => {
  const parent = await provision("standalone", { name: "Parent" });
  const child = await provision("child_device", { name: "Child", parent_id: parent, child_type: "x" });
  expect((await busbar.admin.delete(`/v3/devices/${parent}`)).errors[0]?.code).toBe("conflict");
  expect((await busbar.admin.delete(`/v3/devices/${child}`)).body).toEqual({});
  expect((await busbar.admin.delete(`/v3/devices/${parent}`)).status).toBe(200);
  expect((await busbar.admin.get(`/v3/devices/${parent}`)).status).toBe(404);
});

/** The weather station, driven by a script. */
const scripted = Buffer.from(
  readExample("weather-station")
    .toString()
    .replace(/^runtime:\n {2}type: \w+/m, "runtime:\n  type: lua"),
);

test("lists filter by id, type, parent, child type and profile, and by all of them together", async () => {
  const place = await newSite("Filters");
  const make = async (kind: Parameters<typeof provision>[0], body: object) =>
    provision(kind, { site_id: place, ...body });
  const hub = await make("standalone", { name: "Hub" });
  const one = await make("child_device", { name: "One", parent_id: hub, child_type: "meter", blueprint_id: station });
  const two = await make("child_device", { name: "Two", parent_id: hub, child_type: "valve" });
  const lua = await make("lua_device", { name: "Script", blueprint_id: await upload(scripted) });
  const list = async (query: string) => ids(`/v3/sites/${place}/devices?${query}`);
  const [gateway] = await list("type.in=GATEWAY");
  expect(await list("")).toEqual([gateway, hub, one, two, lua]);
  expect(await list(`id.in=${two},${hub},unknown`)).toEqual([hub, two]);
  expect(await list("type.in=child")).toEqual([one, two]);
  expect(await list("type.in=LUA,STANDALONE")).toEqual([hub, lua]);
  expect(await list(`parent_id.in=${hub}`)).toEqual([one, two]);
  expect(await list("child_type.in=valve")).toEqual([two]);
  expect(await list("child_type.in=Valve")).toEqual([]);
  expect(await list("profiles.has_all=sensor.weather_station")).toEqual([one, lua]);
  expect(await list("profiles.has_all=sensor.wind,sensor.rain")).toEqual([one, lua]);
  expect(await list("profiles.has_all=sensor.wind,energy.battery")).toEqual([]);
  expect(await list(`parent_id.in=${hub}&profiles.has_all=sensor.wind&type.in=CHILD`)).toEqual([one]);
  expect(await ids(`/v3/devices?id.in=${hub},${lua}`)).toEqual([hub, lua]);
  // Slugs are taken wherever ids are, and ids in any case.
  expect(await list("id.in=two,hub,unknown")).toEqual([hub, two]);
  expect(await list(`id.in=${two.toUpperCase()},hub`)).toEqual([hub, two]);
  expect(await list("parent_id.in=hub")).toEqual([one, two]);
  expect(await list(`parent_id.in=${hub.toUpperCase()}&id.in=one`)).toEqual([one]);
});

test("filters come before paging and counting", async () => {
  const place = await newSite("Pages");
  for (let i = 0; i < 5; i++) await provision("standalone", { name: `Device ${i}`, site_id: place });
  const { body } = await busbar.admin.get<DeviceList>(`/v3/sites/${place}/devices?type.in=STANDALONE&limit=2&offset=3`);
  expect(body.devices.map((device) => device.name)).toEqual(["Device 3", "Device 4"]);
  expect(body.total_count).toBe(5);
  const none = await busbar.admin.get<DeviceList>(`/v3/sites/${place}/devices?type.in=LUA&limit=2`);
  expect(none.body).toEqual({ devices: [], total_count: 0 });
});

test("a misspelt type or expansion names the nearest one", async () => {
  expect((await busbar.admin.get("/v3/devices?type.in=STANDALON")).errors[0]?.message).toContain("STANDALONE?");
  expect((await busbar.admin.get("/v3/devices?expand=manifst")).errors[0]?.message).toContain("did you mean manifest?");
});

test("expand adds what it names, to one device and to lists, and nothing else", async () => {
  const id = await provision("standalone", { name: "Expanded", blueprint_id: station });
  const plain = await read(id, "?expand=");
  expect(plain).not.toHaveProperty("manifest");
  const all = await read(id, "?expand=manifest,properties,connectivity,communication,raised_alert_names,site");
  expect(all).toMatchObject({
    ...plain,
    manifest: { blueprint_spec: "device_compiled/3.0", display_name: "Weather station" },
    properties: {},
    connectivity: { status: "UNKNOWN" },
    communication: null,
    raised_alert_names: [],
    site: { id: site, name: "Devices" },
  });
  const list = await busbar.admin.get<DeviceList>(`/v3/devices?id.in=${id}&expand=Connectivity,site`);
  expect(Object.keys(list.body.devices[0] ?? {})).toEqual([...Object.keys(plain), "connectivity", "site"]);
});

test("the manifest of a device without a blueprint is empty", async () => {
  const id = await provision("standalone", { name: "Bare" });
  expect((await read(id, "?expand=manifest")).manifest).toEqual({});
  for (const query of ["", "?view=COMPILED", "?view=ORIGINAL"]) {
    expect((await busbar.admin.get(`/v3/devices/${id}/manifest${query}`)).body).toEqual({ manifest: {} });
  }
});

test("GET manifest gives the manifest as JSON, without dot-keys", async () => {
  const blueprint_id = await upload(manifest("Dotted", ".private: 1\n"));
  const id = await provision("standalone", { name: "Dotted", blueprint_id });
  const { body } = await busbar.admin.get<{ manifest: Record<string, unknown> }>(`/v3/devices/${id}/manifest`);
  expect(body.manifest).toMatchObject({ display_name: "Dotted", runtime: { type: "embedded" } });
  expect(body.manifest).not.toHaveProperty(".private");
});

test("properties are shown as the device last sent them, each to its access level", async () => {
  const blueprint_id = await upload(manifest("Levels"));
  const id = await provision("standalone", { name: "Levels", blueprint_id });
  const at = instant(1_760_000_000_000);
  await busbar.withRecords((records) =>
    records.devices.putProperties(id, [
      { name: "model", value: "X1", receivedAt: at },
      { name: "owner_note", value: "n", receivedAt: at },
      { name: "vendor_key", value: "k", receivedAt: at },
      { name: "undeclared", value: [1], receivedAt: at },
      { name: "__proto__", value: "safe", receivedAt: at },
      { name: "constructor", value: "safe", receivedAt: at },
    ]),
  );
  const open = { model: "X1", undeclared: [1], ["__proto__"]: "safe", constructor: "safe" };
  const expected = {
    readonly: open,
    user: open,
    owner: { ...open, ["__proto__"]: "safe", owner_note: "n" },
    installer: { ...open, ["__proto__"]: "safe", owner_note: "n" },
    vendor: { ...open, ["__proto__"]: "safe", owner_note: "n", vendor_key: "k" },
  };
  for (const [level, properties] of Object.entries(expected)) {
    const session = busbar.as(await busbar.token({ level }));
    const direct = await session.get<{ properties: object }>(`/v3/devices/${id}/properties`);
    const expanded = await session.get<DeviceAnswer>(`/v3/devices/${id}?expand=properties`);
    const listed = await session.get<DeviceList>(`/v3/devices?id.in=${id}&expand=properties`);
    for (const seen of [direct.body.properties, expanded.body.device.properties, listed.body.devices[0]?.properties]) {
      expect([level, Object.entries(seen ?? {}).sort()]).toEqual([level, Object.entries(properties).sort()]);
    }
  }
});

test("a device that is invisible answers byte for byte like one that is unknown", async () => {
  const hidden = await provision("standalone", { name: "Hidden", slug: "hidden", site_id: otherSite });
  const session = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  const calls: [string, string, unknown?][] = [
    ["GET", ""],
    ["PATCH", "", { name: "Mine" }],
    ["DELETE", ""],
    ["GET", "/manifest"],
    ["GET", "/properties"],
    ["POST", "/assign_blueprint", { blueprint_id: station }],
    ["POST", "/generate_config", { protocol: "MQTT" }],
  ];
  for (const [method, path, json] of calls) {
    for (const [known, unknown] of [
      [hidden, "019a8c00-0000-7000-8000-0000000000ff"],
      ["hidden", "hiddem"],
    ] as const) {
      const [seen, not] = [
        await session.call(method, `/v3/devices/${known}${path}`, { json }),
        await session.call(method, `/v3/devices/${unknown}${path}`, { json }),
      ];
      expect(seen.status).toBe(path === "/generate_config" ? 409 : 404);
      expect(seen.text.replaceAll(known, "")).toBe(not.text.replaceAll(unknown, ""));
      expect([...seen.headers.keys()]).toEqual([...not.headers.keys()]);
    }
  }
  expect(await ids(`/v3/devices?id.in=${hidden}`)).toEqual([hidden]);
  expect((await session.get<DeviceList>(`/v3/devices?id.in=${hidden}`)).body).toEqual({ devices: [], total_count: 0 });
  expect((await session.get(`/v3/sites/${otherSite}/devices`)).status).toBe(404);
});

test("a long list of devices with their manifests leaves in pieces and is whole", async () => {
  const parent = await newSite("Many");
  const blueprint = await upload(manifest("Many", `description: ${"x".repeat(20_000)}\n`));
  const made: string[] = [];
  for (let n = 0; n < 45; n++) {
    made.push(
      await provision("standalone", {
        name: `Device ${n}`,
        site_id: parent,
        blueprint_id: n % 9 === 0 ? undefined : blueprint,
      }),
    );
  }
  const path = `/v3/sites/${parent}/devices?type.in=STANDALONE&expand=manifest,connectivity&limit=1000`;
  const { body, headers } = await busbar.admin.get<DeviceList>(path);
  expect(headers.get("content-length")).toBeNull();
  expect(body.total_count).toBe(45);
  expect(body.devices.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
  const names = body.devices.map(({ manifest }) => manifest?.["display_name"]);
  expect(names.filter((name) => name === undefined)).toHaveLength(5);
  expect(names.filter((name) => name === "Many")).toHaveLength(40);
});
