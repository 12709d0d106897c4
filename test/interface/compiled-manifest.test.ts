// Manifests as clients get them: compiled.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, packageOf } from "../support/validate.ts";

const site = useSite();
const { admin } = site.busbar;

type Compiled = { readonly [key: string]: Compiled };
const manifestOf = async (path: string, query = "") =>
  (await admin.get<{ manifest: Compiled }>(`${path}/manifest${query}`)).body.manifest;

const TEXT = `implements: energy.battery
properties:
  model: {type: string, display_name: M, aliases: kind}
telemetry:
  battery_soc: {type: float, unit: "%", display_name: S}
  temperature: {type: float, unit: Cel, display_name: T}
  status: {type: string, display_name: Status, enum: {idle: {display_name: Idle, color: green}, busy: {}}}
  mode: {type: integer, display_name: Mode, enum: [1, 2]}
command_groups: {g: {display_name: G}}
commands:
  run: {group: g, display_name: Run}
  owners: {group: g, display_name: O, access_level: owner}
configuration: {b: {display_name: B, parameters: {}}}`;
const DEVICE = manifestWith(TEXT);

check("resources.compiled-by-default", async () => {
  const device = await site.device(DEVICE);
  const compiled = await manifestOf(device.path);
  expect(await manifestOf(device.path, "?view=COMPILED")).toEqual(compiled);
  expect((await device.read("manifest"))["manifest"]).toEqual(compiled);
  const original = await manifestOf(device.path, "?view=ORIGINAL");
  expect(original).toMatchObject({
    blueprint_spec: "device/3.0",
    telemetry: { status: { enum: { idle: { color: "green" } } } },
  });
});

check("resources.compiled-spec", async () => {
  expect(await manifestOf((await site.device(DEVICE)).path)).toMatchObject({ blueprint_spec: "device_compiled/3.0" });
});

check("resources.compiled-enum", async () => {
  const { telemetry } = await manifestOf((await site.device(DEVICE)).path);
  expect(telemetry?.["status"]).toMatchObject({ enum: ["idle", "busy"] });
  expect(telemetry?.["status"]?.["enum_with_metainfo"]).toMatchObject([
    { value: "idle", display_name: "Idle", color: "green" },
    { value: "busy" },
  ]);
  expect(telemetry?.["mode"]).toMatchObject({ enum: [1, 2] });
  expect(telemetry?.["mode"]).not.toHaveProperty("enum_with_metainfo");
});

check("resources.compiled-lists", async () => {
  const { telemetry, properties, ...rest } = await manifestOf((await site.device(DEVICE)).path);
  expect(rest["implements"]).toContain("energy.battery");
  expect(properties?.["model"]).toMatchObject({ aliases: ["kind"] });
  expect(telemetry?.["mode"]).toMatchObject({ aliases: [], implements: [] });
  expect(telemetry?.["battery_soc"]?.["implements"]).toEqual(
    expect.arrayContaining([expect.stringMatching(/^energy\.battery.*battery_soc$/)]),
  );
});

check("resources.compiled-levels", async () => {
  const manifest = await manifestOf((await site.device(DEVICE)).path);
  expect(manifest).toMatchObject({
    properties: { model: { access_level: "readonly" } },
    telemetry: { mode: { access_level: "readonly" } },
    commands: {
      run: { access_level: "user", read_access_level: "user" },
      owners: { access_level: "owner", read_access_level: "owner" },
    },
    configuration: { b: { access_level: "user" } },
  });
});

check("resources.compiled-units", async () => {
  const { telemetry } = await manifestOf((await site.device(DEVICE)).path);
  expect(telemetry?.["temperature"]).toMatchObject({ unit: "Cel" });
  const { path } = await site.device(
    manifestWith(`units: {flow: {symbol: fl}}
telemetry:
  a: {type: float, display_name: A, unit: flow}
  energy: {type: float, display_name: Energy, unit: kWh, auto_scale: [Wh, MWh]}
  reactive: {type: float, display_name: Reactive, unit: kvar}
properties: {rated: {type: float, display_name: Rated, unit: Wp}}
command_groups: {g: {display_name: G}}
commands:
  c: {group: g, display_name: C, arguments: {charge: {type: float, display_name: Charge, unit: Ah}},
      response: {price: {type: float, unit: 1/kWh}}}`),
  );
  const compiled = await manifestOf(path);
  expect(compiled["telemetry"]).toMatchObject({
    a: { unit: "flow", unit_symbol: "fl" },
    energy: { unit: "kW.h", unit_symbol: "kWh", auto_scale: ["W.h", "MW.h"] },
    reactive: { unit: "kV.A{reactive}", unit_symbol: "kvar" },
  });
  expect(compiled["properties"]?.["rated"]).toMatchObject({ unit: "W{peak}" });
  expect(compiled["commands"]?.["c"]).toMatchObject({
    arguments: { charge: { unit: "A.h" } },
    response: { price: { unit: "1/(kW.h)" } },
  });
  // What the author wrote stays as it is.
  const original = await manifestOf(path, "?view=ORIGINAL");
  expect(original["telemetry"]?.["energy"]).toEqual({
    type: "float",
    display_name: "Energy",
    unit: "kWh",
    auto_scale: ["Wh", "MWh"],
  });
});

check("resources.compiled-schemas", async () => {
  const text = manifestWith("properties: {a: {type: json, display_name: A, json_schema: schemas/a.json}}");
  const bytes = packageOf({ "manifest.yml": text, "schemas/a.json": '{"type":"array"}' });
  const { path } = await site.device(undefined, { blueprint_id: await site.blueprint(bytes) });
  const { properties } = await manifestOf(path);
  expect(JSON.parse(String(properties?.["a"]?.["json_schema"]))).toEqual({ type: "array" });
});

check("resources.compiled-additions", async () => {
  const manifest = await manifestOf((await site.device(DEVICE)).path);
  expect(manifest).toMatchObject({
    telemetry: { alerts: { type: "alerts" }, alert_details: { type: expect.any(String) } },
    alerts: { not_configured: { severity: expect.any(String), display_name: expect.any(String) } },
  });
});

check("resources.compiled-nothing", async () => {
  const { path } = await site.device();
  expect(await manifestOf(path)).toEqual({});
});
