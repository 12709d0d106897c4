// Manifests as programs read them: everything written out, in one form each.
import { beforeAll, expect, test } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { check } from "../support/check.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

const MANIFEST = `blueprint_spec: device/3.0
display_name: Compiled
implements: energy.battery
runtime: {type: embedded}
.private: {any: thing}
.note: [kept, {.in: 1, it: 2}]
properties:
  battery_capacity: {type: float, display_name: Capacity, unit: kWh}
  setup: {type: json, display_name: Setup, json_schema: schemas/setup.json, access_level: owner}
telemetry:
  soc: {type: float, display_name: Charge, unit: "%", implements: energy.battery.battery_soc, aliases: charge}
  battery_power: {type: float, display_name: Power, unit: W, auto_scale: [kW]}
  mode:
    type: integer
    display_name: Mode
    .unit: x
    enum:
      1: {display_name: Off, color: red}
      2: {display_name: On, description: It works.}
      3: {}
  status: {type: string, display_name: Status, enum: [ok, bad]}
command_groups: {main: {display_name: Main}}
commands:
  start:
    group: main
    display_name: Start
    arguments:
      level: {type: integer, display_name: Level, enum: {1: {display_name: Low}, 2: {display_name: High}}}
    response:
      result: {type: string, enum: {done: {}, refused: {description: Not now.}}}
  reset: {group: main, display_name: Reset, access_level: owner, aliases: [clear]}
alerts:
  hot: {severity: warning, display_name: Hot}
configuration:
  net: {display_name: Net, parameters: {mode: {type: string, display_name: Mode, enum: {a: {display_name: A}}}}}
`;
const SCHEMA = '{"type": "object"}';

let id: string;
beforeAll(async () => {
  const files = new Map(
    Object.entries({ "manifest.yml": MANIFEST, "schemas/setup.json": SCHEMA }).map(([path, text]) => [
      path,
      new TextEncoder().encode(text),
    ]),
  );
  const upload = { bytes: packPackage(files) };
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", upload);
  const body = { name: "Compiled", blueprint_id: made.body.blueprint.id };
  id = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
});

type Json = Readonly<Record<string, unknown>>;
const manifestOf = async (query = "") =>
  (await busbar.admin.get<{ manifest: Json }>(`/v3/devices/${id}/manifest${query}`)).body.manifest;

check("resources.compiled-spec", async () => {
  expect((await manifestOf())["blueprint_spec"]).toBe("device_compiled/3.0");
});

check("resources.compiled-by-default", async () => {
  const compiled = await manifestOf();
  expect(await manifestOf("?view=COMPILED")).toEqual(compiled);
  const { body } = await busbar.admin.get<{ device: { manifest: Json } }>(`/v3/devices/${id}?expand=manifest`);
  expect(body.device.manifest).toEqual(compiled);
  const { blueprint_id: blueprint } = (
    await busbar.admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${id}`)
  ).body.device;
  const ofBlueprint = async (view: string) =>
    (await busbar.admin.get<{ manifest: Json }>(`/v3/blueprints/${blueprint}/manifest?view=${view}`)).body.manifest;
  expect(await ofBlueprint("COMPILED")).toEqual(compiled);
  expect(await ofBlueprint("ORIGINAL")).toEqual(await manifestOf("?view=ORIGINAL"));
  const list = await busbar.admin.get<{ devices: { manifest: Json }[] }>("/v3/devices?expand=manifest");
  expect(list.body.devices.map((device) => device.manifest)).toContainEqual(compiled);
  const original = await manifestOf("?view=ORIGINAL");
  expect(original).toMatchObject({
    blueprint_spec: "device/3.0",
    implements: "energy.battery",
    telemetry: { mode: { enum: { 1: { display_name: "Off", color: "red" } } }, soc: { aliases: "charge" } },
    properties: { setup: { json_schema: "schemas/setup.json" } },
  });
  expect(Object.keys(original["alerts"] as Json)).toEqual(["hot"]);
});

test("dot-keys survive where the author's own manifest is given, and are gone from the compiled one", async () => {
  expect(await manifestOf("?view=ORIGINAL")).toMatchObject({
    ".note": ["kept", { ".in": 1, it: 2 }],
    telemetry: { mode: { ".unit": "x" } },
  });
  expect(JSON.stringify(await manifestOf())).not.toContain('".');
});

test("a missing description of a property or an attribute is an empty text", async () => {
  const { properties, telemetry } = (await manifestOf()) as Readonly<Record<string, Json>>;
  for (const item of [...Object.values(properties ?? {}), ...Object.values(telemetry ?? {})]) {
    expect((item as Json)["description"]).toEqual(expect.any(String));
  }
  expect(properties?.["setup"]).toMatchObject({ description: "" });
});

test("a blueprint is downloaded as it was uploaded, or with its manifest compiled", async () => {
  const { blueprint_id: blueprint } = (
    await busbar.admin.get<{ device: { blueprint_id: string } }>(`/v3/devices/${id}`)
  ).body.device;
  const files = async (query: string) => {
    const headers = { "X-Service-Auth-Token": busbar.adminToken };
    const answer = await fetch(`${busbar.url}/v3/blueprints/${blueprint}/zip${query}`, { headers });
    const found = unpackPackage(await answer.bytes()).package?.files ?? new Map<string, Uint8Array>();
    return new Map([...found].map(([path, content]) => [path, Buffer.from(content).toString()]));
  };
  const [original, compiled] = [await files(""), await files("?view=COMPILED")];
  expect(await files("?view=ORIGINAL")).toEqual(original);
  expect([...compiled.keys()]).toEqual([...original.keys()]);
  expect(JSON.parse(compiled.get("manifest.yml") ?? "")).toEqual(await manifestOf());
  expect(original.get("manifest.yml")).toContain("blueprint_spec: device/3.0");
  expect(compiled.get("schemas/setup.json")).toBe(original.get("schemas/setup.json"));
});

check("resources.compiled-enum", async () => {
  const { telemetry, commands, configuration } = (await manifestOf()) as Readonly<Record<string, Json>>;
  expect(telemetry?.["mode"]).toMatchObject({
    enum: [1, 2, 3],
    enum_with_metainfo: [
      { value: 1, display_name: "Off", color: "red" },
      { value: 2, display_name: "On", description: "It works." },
      { value: 3, display_name: "3" },
    ],
  });
  expect(telemetry?.["status"]).toMatchObject({ enum: ["ok", "bad"] });
  expect(telemetry?.["status"]).not.toHaveProperty("enum_with_metainfo");
  expect(commands?.["start"]).toMatchObject({
    arguments: { level: { enum: [1, 2], enum_with_metainfo: [{ display_name: "Low" }, { display_name: "High" }] } },
    response: { result: { enum: ["done", "refused"] } },
  });
  expect(configuration?.["net"]).toMatchObject({ parameters: { mode: { enum: ["a"] } } });
  // Nowhere is an enum anything else than a list.
  const enums = [...JSON.stringify(await manifestOf()).matchAll(/"enum":(.)/g)].map((match) => match[1]);
  expect(new Set(enums)).toEqual(new Set(["["]));
});

check("resources.compiled-lists", async () => {
  const { implements: profiles, telemetry, properties, commands } = await manifestOf();
  expect(profiles).toEqual(expect.arrayContaining(["energy.battery", "energy.battery.state_of_charge"]));
  const item = (section: unknown, name: string) => (section as Readonly<Record<string, Json>>)[name];
  expect(item(telemetry, "soc")).toMatchObject({ aliases: expect.arrayContaining(["charge", "battery_soc"]) });
  expect(item(telemetry, "soc")?.["implements"]).toEqual([
    "energy.battery.battery_soc",
    "energy.battery.state_of_charge.battery_soc",
  ]);
  expect(item(telemetry, "battery_power")).toMatchObject({
    implements: ["energy.battery.power.battery_power"],
    aliases: [],
  });
  expect(item(properties, "battery_capacity")).toMatchObject({
    implements: ["energy.battery.capacity.battery_capacity"],
    aliases: [],
  });
  expect(item(commands, "start")).toMatchObject({ implements: [], aliases: [] });
  expect(item(commands, "reset")).toMatchObject({ implements: [], aliases: ["clear"] });
});

check("resources.compiled-levels", async () => {
  const { telemetry, properties, commands, configuration } = await manifestOf();
  expect(properties).toMatchObject({
    battery_capacity: { access_level: "readonly" },
    setup: { access_level: "owner" },
  });
  expect(telemetry).toMatchObject({ battery_power: { access_level: "readonly" } });
  expect(commands).toMatchObject({
    start: { access_level: "user", read_access_level: "user" },
    reset: { access_level: "owner", read_access_level: "owner" },
  });
  expect(configuration).toMatchObject({ net: { access_level: "user" } });
});

check("resources.compiled-schemas", async () => {
  expect((await manifestOf())["properties"]).toMatchObject({ setup: { json_schema: SCHEMA } });
});

check("resources.compiled-additions", async () => {
  const { telemetry, alerts } = await manifestOf();
  expect(telemetry).toMatchObject({
    alerts: { type: "alerts", access_level: "readonly" },
    alert_details: { type: expect.any(String), access_level: "readonly" },
  });
  expect(alerts).toEqual({
    hot: { severity: "warning", display_name: "Hot" },
    not_configured: { severity: "warning", display_name: "Not configured" },
  });
});

test("every telemetry attribute of a compiled manifest can be asked for, with or without values", async () => {
  const names = Object.keys((await manifestOf())["telemetry"] as Json);
  const { status, body } = await busbar.admin.get<{ errors: { code: string }[] }>(
    `/telemetry/v1/now?devices[${id}]=${names.join()}`,
  );
  expect([status, body.errors.map(({ code }) => code)]).toEqual([200, names.map(() => "no_data")]);
  const telemetry = [{ device: id, attribute: names }];
  const asked = { from: 0, to: 60, granularity: "1m", aggregation: "auto", telemetry };
  const series = await busbar.admin.post("/telemetry/v1/timeseries", asked);
  expect([series.status, series.text.trim().split(",").length]).toEqual([200, names.length + 1]);
});

check("resources.compiled-nothing", async () => {
  const bare = { name: "Without a blueprint" };
  const { device_id } = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", bare)).body;
  expect((await busbar.admin.get(`/v3/devices/${device_id}/manifest`)).body).toEqual({ manifest: {} });
});

check("resources.compiled-units", async () => {
  const bytes = `blueprint_spec: device/3.0
display_name: Units
runtime: {type: embedded}
units: {flow: {symbol: fl}}
telemetry:
  temperature: {type: float, unit: Cel, display_name: T}
  a: {type: float, display_name: A, unit: flow}
  energy: {type: float, display_name: Energy, unit: kWh, auto_scale: [Wh, MWh]}
  reactive: {type: float, display_name: Reactive, unit: kvar}
properties: {rated: {type: float, display_name: Rated, unit: Wp}}
command_groups: {g: {display_name: G}}
commands:
  c: {group: g, display_name: C, arguments: {charge: {type: float, display_name: Charge, unit: Ah}},
      response: {price: {type: float, unit: 1/kWh}}}`;
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const manifest = async (view: string) =>
    (
      await busbar.admin.get<{ manifest: Readonly<Record<string, Json>> }>(
        `/v3/blueprints/${made.body.blueprint.id}/manifest?view=${view}`,
      )
    ).body.manifest;
  expect(await manifest("COMPILED")).toMatchObject({
    telemetry: {
      temperature: { unit: "Cel" },
      a: { unit: "flow", unit_symbol: "fl" },
      energy: { unit: "kW.h", unit_symbol: "kWh", auto_scale: ["W.h", "MW.h"] },
      reactive: { unit: "kV.A{reactive}", unit_symbol: "kvar" },
    },
    properties: { rated: { unit: "W{peak}" } },
    commands: { c: { arguments: { charge: { unit: "A.h" } }, response: { price: { unit: "1/(kW.h)" } } } },
  });
  // What the author wrote stays as it is.
  const written = { type: "float", display_name: "Energy", unit: "kWh", auto_scale: ["Wh", "MWh"] };
  expect((await manifest("ORIGINAL"))["telemetry"]?.["energy"]).toEqual(written);
});
