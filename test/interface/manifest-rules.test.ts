// Manifest rules beyond the tables: errors, warnings, and how they are reported.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, packageOf, validator } from "../support/validate.ts";
import { luaManifest } from "./lua.ts";

const site = useSite();
const { busbar } = site;
const { found, verdict } = validator(busbar);

const GROUPS = "command_groups: {g: {display_name: G}}\n";
const command = (more: string) => manifestWith(`${GROUPS}commands: {a: {group: g, display_name: A, ${more}}}`);
const argument = (more: string) => command(`arguments: {x: {display_name: X, ${more}}}`);
const X = "/commands/a/arguments/x";

check("rules.group-not-declared", async () => {
  const text = manifestWith(`${GROUPS}commands: {a: {group: h, display_name: A}}`);
  expect(await found(text)).toEqual(["error unknown_group /commands/a/group"]);
});

check("rules.exclusive-options", async () => {
  for (const options of ["dir: a, file: b.lua", "file: b.lua, rockspec: a, luarocks: [b]"]) {
    expect(await found(luaManifest(options))).toContainEqual(expect.stringMatching(/^error conflicting_keys/));
  }
});

check("rules.unreadable-values", async () => {
  expect(await found(argument("type: integer, enum: [1, two]"))).toEqual([`error enum_value_type ${X}/enum/1`]);
  expect(await found(argument("type: float, default: high"))).toEqual([`error default_type ${X}/default`]);
});

check("rules.min-above-max", async () => {
  expect(await found(argument("type: float, min: 2, max: 1"))).toEqual([
    expect.stringMatching(/^error min_above_max \/commands\/a\/arguments\/x/),
  ]);
});

check("rules.bad-grace-period", async () => {
  const text = manifestWith("alerts: {a: {severity: info, display_name: A, grace_period: 5 minutes}}");
  expect(await found(text)).toEqual(["error bad_duration /alerts/a/grace_period"]);
});

check("rules.populate-no-command", async () => {
  expect(await found(command("populate_values_command: b"))).toEqual([
    "error unknown_command /commands/a/populate_values_command",
  ]);
});

check("rules.alias-taken", async () => {
  const telemetry = (a: string, b: string) =>
    manifestWith(`telemetry: {a: {type: float, display_name: A, ${a}}, b: {type: float, display_name: B, ${b}}}`);
  expect(await found(telemetry("aliases: b", ""))).toContainEqual(expect.stringMatching(/^error alias_taken/));
  expect(await found(telemetry("aliases: c", "aliases: c"))).toContainEqual(
    expect.stringMatching(/^error alias_taken/),
  );
  const kinds = manifestWith(
    "telemetry: {a: {type: float, display_name: A, aliases: c}}\nproperties: {b: {type: float, display_name: B, aliases: c}}",
  );
  expect(await found(kinds)).toEqual([]);
});

check("rules.duplicate-keys", async () => {
  expect(await found(manifestWith("description: a\ndescription: b"))).toEqual(["error duplicate_key "]);
});

check("rules.package-files", async () => {
  const schema = (path: string) => manifestWith(`properties: {a: {type: json, display_name: A, json_schema: ${path}}}`);
  for (const text of [
    luaManifest("dir: src"),
    luaManifest("file: main.lua"),
    luaManifest("file: manifest.yml, rockspec: a.rockspec"),
    schema("schemas/a.json"),
  ]) {
    expect(await found(packageOf({ "manifest.yml": text })), text).toContainEqual(
      expect.stringMatching(/^error missing_file/),
    );
  }
  for (const text of [luaManifest("file: ../main.lua"), luaManifest("dir: /src"), schema("../a.json")]) {
    expect(await found(packageOf({ "manifest.yml": text })), text).toContainEqual(
      expect.stringMatching(/^error file_outside/),
    );
  }
});

check("rules.bare-files", async () => {
  expect(await found(luaManifest("dir: src"))).toEqual([]);
  expect(await found(luaManifest("file: main.lua, rockspec: a-1.0-1.rockspec"))).toEqual([]);
});

check("rules.warn-default-converted", async () => {
  const text = argument('type: boolean, default: "false"');
  expect(await found(text)).toEqual([`warning default_converted ${X}/default`]);
  const device = await site.device(text);
  const id = await device.started({ name: "a" });
  expect((await device.get(id)).body.execution.request.arguments).toEqual({ x: false });
});

check("rules.warn-default-outside", async () => {
  expect(await found(argument("type: float, min: 0, max: 1, default: 5"))).toEqual([
    `warning default_out_of_range ${X}/default`,
  ]);
  expect(await found(argument("type: string, enum: [a], default: b"))).toEqual([
    `warning default_not_in_enum ${X}/default`,
  ]);
});

check("rules.warn-unit", async () => {
  const of = (unit: string) => manifestWith(`telemetry: {a: {type: float, display_name: A, unit: "${unit}"}}`);
  for (const unit of ["kW", "VAR", "Ah", "[ppm]"]) expect(await found(of(unit)), unit).toEqual([]);
  expect(await found(of("furlong"))).toEqual(["warning unknown_unit /telemetry/a/unit"]);
});

check("rules.warn-c-f", async () => {
  for (const unit of ["C", "F"]) {
    expect(await found(manifestWith(`telemetry: {a: {type: float, display_name: A, unit: ${unit}}}`))).toEqual([
      "warning ambiguous_unit /telemetry/a/unit",
    ]);
  }
});

check("rules.warn-auto-scale", async () => {
  const text = manifestWith("telemetry: {a: {type: float, display_name: A, unit: W, auto_scale: [kW, kWh]}}");
  expect(await found(text)).toEqual(["warning incompatible_scale /telemetry/a/auto_scale/1"]);
});

check("rules.warn-alert-telemetry", async () => {
  const text = manifestWith("alerts: {a: {severity: info, display_name: A, telemetry: [power]}}");
  expect(await found(text)).toEqual(["warning unknown_telemetry /alerts/a/telemetry/0"]);
});

check("rules.warn-format", async () => {
  expect(await found(argument("type: string, format: handwriting"))).toEqual([`warning unknown_format ${X}/format`]);
});

check("rules.warn-profile", async () => {
  const issues = await found(manifestWith("implements: energy.perpetuum"));
  expect(issues).toEqual([expect.stringMatching(/^warning unknown_profile \/implements/)]);
});

check("rules.warn-profile-fields", async () => {
  const none = await found(manifestWith("implements: energy.battery"));
  expect(none).toContainEqual(expect.stringMatching(/^warning profile_field_missing/));
  expect(none).not.toContainEqual(expect.stringMatching(/^error/));
  const other = manifestWith("implements: energy.battery\ntelemetry: {battery_soc: {type: string, display_name: A}}");
  expect(await found(other)).toContainEqual(expect.stringMatching(/^warning profile_field_differs/));
});

check("rules.warn-no-script", async () => {
  const text = "blueprint_spec: device/3.0\ndisplay_name: A\nruntime: {type: lua}\n";
  expect(await found(text)).toEqual([expect.stringMatching(/^warning missing_script \/runtime/)]);
});

check("rules.warn-status", async () => {
  const of = (fields: string) => manifestWith(`telemetry: {status: {display_name: A, ${fields}}}`);
  expect(await found(of("type: integer"))).toEqual([expect.stringMatching(/^warning status_style/)]);
  expect(await found(of("type: string"))).toEqual([expect.stringMatching(/^warning status_style/)]);
  expect(await found(of("type: string, enum: [a, b]"))).toEqual([]);
});

check("rules.nearest-known", async () => {
  const [key, value] = (await verdict(manifestWith("catgory: sensors\ntelemetry: {a: {type: flaot, display_name: A}}")))
    .diagnostics;
  expect(key?.message).toContain("category");
  expect(value?.message).toContain("float");
});

check("rules.everything-at-once", async () => {
  const text = manifestWith("category: nothing\nsurprise: 1\ntelemetry:\n  a-b:\n    type: flaot");
  const { diagnostics, validation_errors } = await verdict(text);
  expect(new Set(diagnostics.map(({ path }) => path))).toEqual(
    new Set(["/category", "/surprise", "/telemetry/a-b", "/telemetry/a-b/type"]),
  );
  expect(diagnostics.find(({ path }) => path === "/telemetry/a-b/type")).toMatchObject({
    severity: "error",
    code: "unknown_value",
    message: expect.any(String),
    path: "/telemetry/a-b/type",
    line: 8,
    column: expect.any(Number),
  });
  expect(validation_errors.length).toBe(diagnostics.length);
});

check("rules.never-throws", async () => {
  const hostile = [
    "\u0000",
    "[",
    "{}",
    "5",
    "null",
    "a: *b",
    "? [x]\n: y",
    "<<: 1",
    "PK\u0003\u0004garbage",
    "a: b\n---\nc: d",
  ];
  for (const text of hostile) expect((await verdict(text)).validation_errors.length, text).toBeGreaterThan(0);
  const bytes = Uint8Array.from({ length: 512 }, (_, index) => (index * 37 + 200) % 256);
  expect((await verdict(bytes)).validation_errors.length).toBeGreaterThan(0);
});

check("rules.size-cap", async () => {
  const fill = (size: number) => {
    const text = manifestWith("");
    return `${text}#${"x".repeat(size - text.length - 2)}\n`;
  };
  expect(await found(fill(256 * 1024))).toEqual([]);
  expect(await found(fill(256 * 1024 + 1))).toEqual(["error document_too_large "]);
});
