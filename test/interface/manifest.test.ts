// The blueprint manifest: the document, and its properties and telemetry.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, packageOf, validator } from "../support/validate.ts";

const site = useSite();
const { busbar } = site;
const { found, verdict, refused } = validator(busbar);

/** One item of each kind; `more` goes into each. */
const property = (more: string) => `properties: {a: {type: string, display_name: A, ${more}}}`;
const attribute = (more: string) => `telemetry: {a: {type: string, display_name: A, ${more}}}`;
const command = (more: string) =>
  `command_groups: {g: {display_name: G}}\ncommands: {a: {group: g, display_name: A, ${more}}}`;
const argument = (more: string) => command(`arguments: {x: {type: string, display_name: X, ${more}}}`);
const parameter = (more: string) =>
  `configuration: {b: {display_name: B, parameters: {p: {type: string, display_name: P, ${more}}}}}`;

check("manifest.dot-keys", async () => {
  const places = [property, attribute, command, argument, parameter].map((item) => item(".note: [1, {any: thing}]"));
  const all = ["._x9: {}", ".: 1", "support: {.x: 1}", "units: {u: {symbol: u, .x: 1}}", ...places];
  expect(await refused(all)).toEqual([]);
  expect(await refused([".a-b: 1"])).toEqual([".a-b: 1"]);
});

check("manifest.no-other-keys", async () => {
  const places = [
    "surprise: 1",
    "support: {surprise: 1}",
    "units: {u: {symbol: u, surprise: 1}}",
    "alerts: {a: {severity: info, display_name: A, surprise: 1}}",
    ...[property, attribute, command, argument, parameter].map((item) => item("surprise: 1")),
  ];
  expect(await refused(places)).toEqual(places);
});

check("manifest.spec", async () => {
  const rest = "display_name: A\nruntime: {type: embedded}\n";
  expect(await found(`blueprint_spec: device/3.0\n${rest}`)).toEqual([]);
  expect(await found(rest)).toEqual(["error missing_key "]);
  for (const spec of ["device/3.1", "device/1.0", "3.0", "profile/1.0"]) {
    expect(await found(`blueprint_spec: ${spec}\n${rest}`), spec).toContainEqual(expect.stringMatching(/^error/));
  }
});

check("manifest.implements", async () => {
  expect(await refused(["implements: energy.battery", "implements: [energy.battery, sensor.rain]"])).toEqual([]);
  const wrong = ["implements: 5", "implements: {a: b}", "implements: [5]"];
  expect(await refused(wrong)).toEqual(wrong);
});

check("manifest.implements-draft", async () => {
  expect(await refused(["implements_draft: lib.some", "implements_draft: [lib.some, lib.other]"])).toEqual([]);
  const wrong = ["implements_draft: 5", "implements_draft: [5]"];
  expect(await refused(wrong)).toEqual(wrong);
});

check("manifest.category", async () => {
  const words =
    "battery-systems control data-providers electric-vehicles electrolysers fuel-cells fuel-generators gas-equipment hvac " +
    "hydrogen-storage loads networking power-distribution power-meters sensors solar-generators water-treatment wind-generators";
  const known = words.split(" ").map((word) => `category: ${word}`);
  expect(known).toHaveLength(18);
  expect(await refused(known)).toEqual([]);
  expect(await refused(["category: batteries", "category: Sensors"])).toHaveLength(2);
});

check("manifest.display-name", async () => {
  const rest = "blueprint_spec: device/3.0\nruntime: {type: embedded}\n";
  expect(await found(rest)).toEqual(["error missing_key "]);
  expect(await found(`${rest}display_name: 5\n`)).toEqual(["error wrong_type /display_name"]);
});

check("manifest.texts", async () => {
  for (const field of ["description", "icon", "author", "license"]) {
    expect(await refused([`${field}: some text`, "", `${field}: 5`, `${field}: [a]`])).toEqual([
      `${field}: 5`,
      `${field}: [a]`,
    ]);
  }
});

check("manifest.ids-of-items", async () => {
  const kinds = (id: string) => [
    `properties: {"${id}": {type: string, display_name: A}}`,
    `telemetry: {"${id}": {type: string, display_name: A}}`,
    `command_groups: {"${id}": {display_name: G}}`,
    `command_groups: {g: {display_name: G}}\ncommands: {"${id}": {group: g, display_name: A}}`,
    `configuration: {"${id}": {display_name: B, parameters: {}}}`,
  ];
  for (const id of ["a", "A9", "a_b", "constructor"]) expect(await refused(kinds(id)), id).toEqual([]);
  for (const id of ["9a", "_a", "a-b", "ä", "a b"]) expect(await refused(kinds(id)), id).toEqual(kinds(id));
});

check("manifest.ids-of-alerts", async () => {
  const alert = (id: string) => `alerts: {"${id}": {severity: info, display_name: A}}`;
  expect(await refused(["9-a_B", "-", "_x", "a"].map(alert))).toEqual([]);
  const wrong = ["a b", "a.b", "ä"].map(alert);
  expect(await refused(wrong)).toEqual(wrong);
});

check("manifest.group-when-groups", async () => {
  const text = manifestWith("command_groups: {g: {display_name: G}}\ncommands: {a: {display_name: A}}");
  expect(await found(text)).toEqual(["error missing_key /commands/a"]);
});

check("manifest.runtime-required", async () => {
  expect(await found("blueprint_spec: device/3.0\ndisplay_name: A\n")).toEqual(["error missing_key "]);
});

check("manifest.contributors", async () => {
  expect(await refused(["contributors: [ann, bob]", "contributors: ann", "contributors: [5]"])).toEqual([
    "contributors: ann",
    "contributors: [5]",
  ]);
});

check("manifest.support", async () => {
  const wrong = ["support: {url: 5}", "support: {email: [a]}", "support: us"];
  expect(await refused(["support: {url: https://example.com, email: a@example.com}", ...wrong])).toEqual(wrong);
});

check("manifest.units", async () => {
  const wrong = ["units: {flow: {display_name: Flow}}", "units: {flow: {symbol: 5}}"];
  expect(await refused(["units: {flow: {symbol: fl, display_name: Flow, description: D}}", ...wrong])).toEqual(wrong);
});

check("manifest.types", async () => {
  for (const item of [property, argument, parameter]) {
    const of = (type: string) => item("").replace("type: string", `type: ${type}`);
    const known = ["boolean", "string", "integer", "float", "array_of_strings", "json"].map(of);
    expect(await refused([...known, of("alerts"), of("number")])).toEqual([of("alerts"), of("number")]);
  }
});

check("manifest.telemetry-types", async () => {
  const of = (type: string) => `telemetry: {a: {type: ${type}, display_name: A}}`;
  const known = ["boolean", "string", "integer", "float", "array_of_strings", "alerts"].map(of);
  expect(await refused([...known, of("json"), of("number")])).toEqual([of("json"), of("number")]);
});

check("manifest.access-levels", async () => {
  for (const item of [property, attribute, command]) {
    const of = (level: string) => item(`access_level: ${level}`);
    const known = ["readonly", "user", "owner", "installer", "vendor", "system"].map(of);
    expect(await refused([...known, of("admin")])).toEqual([of("admin")]);
  }
});

check("manifest.aliases", async () => {
  for (const item of [property, attribute, command]) {
    const right = [item("aliases: other"), item("aliases: [b, _c9, 9d]")];
    const wrong = [item("aliases: a-b"), item("aliases: [a.b]"), item("aliases: 5")];
    expect(await refused([...right, ...wrong])).toEqual(wrong);
  }
  expect(await refused([argument("aliases: b")])).toHaveLength(1);
});

check("manifest.enum-forms", async () => {
  for (const item of [property, attribute, argument, parameter]) {
    const right = [item("enum: [a, b]"), item("enum: {a: {display_name: A, description: D}, b: {}}")];
    const wrong = [item("enum: a"), item("enum: {a: {label: A}}"), item("enum: [[a]]")];
    expect(await refused([...right, ...wrong])).toEqual(wrong);
  }
  expect(await refused(["telemetry: {a: {type: integer, display_name: A, enum: [1, 2]}}"])).toEqual([]);
});

check("manifest.enum-values", async () => {
  const of = (type: string, values: string) => `telemetry: {a: {type: ${type}, display_name: A, enum: ${values}}}`;
  const wrong = [of("integer", "[1, two]"), of("float", "[x]"), of("integer", "[1.5]"), of("integer", "{two: {}}")];
  expect(await refused([of("integer", "[1, 2]"), of("float", "[1.5, 2]"), of("string", "[a]"), ...wrong])).toEqual(
    wrong,
  );
});

check("manifest.enum-colors", async () => {
  const names = ["blue", "yellow", "green", "red", "cyan", "pink", "purple", "orange"];
  const colors = names.flatMap((name) => ["", "-lighter", "-light", "-dark", "-darker"].map((shade) => name + shade));
  const of = (color: string) => attribute(`enum: {a: {color: ${color}}}`);
  expect(colors).toHaveLength(40);
  expect(await refused([...colors.map(of), of("white"), of("blue-darkest")])).toEqual([
    of("white"),
    of("blue-darkest"),
  ]);
  const elsewhere = [property, argument, parameter].map((item) => item("enum: {a: {color: blue}}"));
  expect(await refused(elsewhere)).toEqual(elsewhere);
});

check("items.property-required", async () => {
  expect(await found(manifestWith("properties: {a: {display_name: A}}"))).toEqual(["error missing_key /properties/a"]);
  expect(await found(manifestWith("properties: {a: {type: string}}"))).toEqual(["error missing_key /properties/a"]);
});

check("items.property-fields", async () => {
  const fields = "description: D, implements: [a.b], aliases: b, enum: [x], access_level: owner";
  const scaled = "properties: {a: {type: float, display_name: A, unit: W, auto_scale: [kW, MW]}}";
  const json = `properties: {a: {type: json, display_name: A, json_schema: '{"type": "object"}'}}`;
  expect(await refused([property(fields), scaled, json])).toEqual([]);
  const wrong = [
    property("description: 5"),
    property("unit: 5"),
    property("auto_scale: kW"),
    property("json_schema: 5"),
  ];
  expect(await refused(wrong)).toEqual(wrong);
});

check("items.property-description", async () => {
  const device = await site.device(manifestWith("properties: {a: {type: string, display_name: A}}"));
  const { body } = await busbar.admin.get<{ manifest: { properties: { a: { description?: string } } } }>(
    `${device.path}/manifest`,
  );
  expect(body.manifest.properties.a.description ?? "").toBe("");
});

check("items.property-unit", async () => {
  const of = (unit: string) =>
    manifestWith(`units: {flow: {symbol: fl}}\nproperties: {a: {type: float, display_name: A, unit: ${unit}}}`);
  for (const unit of ["kW", "Cel", "m/s", "flow"]) expect(await found(of(unit)), unit).toEqual([]);
  expect(await found(of("furlongs"))).toEqual(["warning unknown_unit /properties/a/unit"]);
});

check("items.allow-unit-c", async () => {
  const of = (more: string) => manifestWith(`telemetry: {a: {type: float, display_name: A, unit: C, ${more}}}`);
  expect(await found(of(""))).toEqual(["warning ambiguous_unit /telemetry/a/unit"]);
  expect(await found(of("allow_unit_c: true"))).toEqual([]);
});

check("items.allow-unit-f", async () => {
  const of = (more: string) => manifestWith(`telemetry: {a: {type: float, display_name: A, unit: F, ${more}}}`);
  expect(await found(of(""))).toEqual(["warning ambiguous_unit /telemetry/a/unit"]);
  expect(await found(of("allow_unit_f: true"))).toEqual([]);
});

check("items.property-json-schema", async () => {
  const of = (schema: string) => manifestWith(`properties: {a: {type: json, display_name: A, json_schema: ${schema}}}`);
  expect(await found(of(`'{"type": "object"}'`))).toEqual([]);
  expect(await found(of(`'{"type": "thing"}'`))).toEqual(["error bad_json_schema /properties/a/json_schema"]);
  const files = { "manifest.yml": of("schemas/a.json"), "schemas/a.json": '{"type": "array"}' };
  expect(await found(packageOf(files))).toEqual([]);
  expect(await found(packageOf({ "manifest.yml": of("schemas/a.json") }))).toHaveLength(1);
});

check("items.telemetry-required", async () => {
  expect(await found(manifestWith("telemetry: {a: {display_name: A}}"))).toEqual(["error missing_key /telemetry/a"]);
  expect(await found(manifestWith("telemetry: {a: {type: string}}"))).toEqual(["error missing_key /telemetry/a"]);
});

check("items.telemetry-fields", async () => {
  const fields = "description: D, implements: a.b, aliases: [b], enum: {x: {color: red}}, access_level: vendor";
  const scaled =
    "telemetry: {a: {type: float, display_name: A, unit: W, auto_scale: [kW], allow_unit_c: false, allow_unit_f: false}}";
  expect(await refused([attribute(fields), scaled])).toEqual([]);
  expect(await refused([attribute("json_schema: '{}'")])).toHaveLength(1);
});

check("items.telemetry-follows-type", async () => {
  const device = await site.device(manifestWith("telemetry: {a: {type: float, display_name: A}}"));
  const mqtt = await device.connect();
  await mqtt.sendTelemetry({ timestamp: 1, a: 1.5 });
  await mqtt.sendTelemetry({ timestamp: 2, a: "high" });
  expect(await device.now("a")).toEqual({ a: { value: 1.5, timestamp: 1 } });
  expect(await device.logs()).toEqual([expect.stringContaining('"a" must be a number')]);
});

check("general.version-manifest", async () => {
  const rest = "display_name: A\nruntime: {type: embedded}\n";
  expect((await verdict(`blueprint_spec: device/3.0\n${rest}`)).validation_errors).toEqual([]);
  expect((await verdict(`blueprint_spec: device/3.1\n${rest}`)).validation_errors).toHaveLength(1);
});
