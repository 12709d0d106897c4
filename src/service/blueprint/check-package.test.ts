import { expect, test } from "vitest";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { checkPackage } from "./check-package.ts";
import { compileSchemas } from "./compile-schemas.ts";
import { packPackage } from "./pack-package.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Test
runtime: {type: lua, options: {file: main.lua}}
command_groups: {g: {display_name: G}}
commands:
  go:
    group: g
    display_name: Go
    arguments:
      plan: {type: json, display_name: Plan, json_schema: schemas/plan.json}
      inline: {type: json, display_name: Inline, json_schema: '{"type": "array"}'}
`;
const pack = (files: Readonly<Record<string, string>>) =>
  packPackage(new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])));
const summary = (bytes: Uint8Array) => {
  const { blueprint, issues } = checkPackage(bytes, starterLibrary());
  expect(blueprint === undefined).toBe(issues.some(({ severity }) => severity === "error"));
  return issues.map(({ code, path, range }) => `${code} ${path} ${range.start.line}`);
};
const whole = { "manifest.yml": MANIFEST, "main.lua": "", "schemas/plan.json": '{"type": "object"}' };

test("a whole package has a blueprint, and its schemas check values", () => {
  const { blueprint, issues } = checkPackage(pack(whole));
  expect(issues).toEqual([]);
  if (blueprint === undefined) throw new Error("no blueprint");
  const { checks, problems } = compileSchemas(blueprint);
  expect(problems).toEqual([]);
  expect([...checks.keys()]).toEqual(["commands/go/arguments/plan", "commands/go/arguments/inline"]);
  expect(checks.get("commands/go/arguments/plan")?.([])).toEqual([{ pointer: "", message: "must be object" }]);
  expect(checks.get("commands/go/arguments/inline")?.([])).toEqual([]);
});

test("a bare manifest is not asked for its files", () => {
  expect(summary(new TextEncoder().encode(MANIFEST))).toEqual([]);
});

test("files that the manifest names and the package lacks are errors at their place", () => {
  expect(summary(pack({ "manifest.yml": MANIFEST }))).toEqual([
    "missing_file /runtime/options/file 3",
    "missing_file /commands/go/arguments/plan/json_schema 10",
  ]);
});

test("a schema that only the compiler refuses is an error at its place", () => {
  const remote = { ...whole, "schemas/plan.json": '{"$ref": "https://example.com/x.json"}' };
  expect(summary(pack(remote))).toEqual(["bad_json_schema /commands/go/arguments/plan/json_schema 10"]);
  expect(checkPackage(pack(remote)).issues[0]?.message).toBe(
    'schemas/plan.json holds no usable schema: it refers to "https://example.com/x.json", which is not part of it; references stay inside the schema.',
  );
});

test("a package that cannot be unpacked says so in the same list", () => {
  expect(summary(pack({ "x/manifest.yml": MANIFEST }))).toEqual(["package_no_manifest x/manifest.yml 1"]);
});
