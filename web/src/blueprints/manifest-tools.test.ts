import { expect, test } from "vitest";
import { DEVICE_KINDS } from "#manifest/draft/device-kinds.ts";
import inverter from "../../../examples/blueprints/pv-inverter/manifest.yml?raw";
import { createManifestTools } from "./manifest-tools.ts";

const bare = (manifest: string) => ({ manifest, files: undefined });
const PUMP = `blueprint_spec: device/3.0
display_name: Pump
runtime: {type: embedded}
telemetry:
  flow: {type: float, uint: m3/h, display_name: Flow}
`;

test("a mistake is reported with its place and its fix, and the fix cures it", () => {
  const tools = createManifestTools();
  const { issues, compiled } = tools.check(bare(PUMP));
  expect(compiled).toBeUndefined();
  expect(issues).toMatchObject([
    { code: "unknown_key", range: { start: { line: 5 } }, fix: { title: "Rename to unit" } },
  ]);
  const fixed = tools.fixAll(bare(PUMP));
  expect(fixed).toEqual({ text: PUMP.replace("uint", "unit"), count: 1 });
  expect(tools.check(bare(fixed.text))).toMatchObject({
    issues: [],
    compiled: { telemetry: { flow: { unit: "m3/h" } } },
  });
});

test("the preview shows the last manifest without errors", () => {
  const tools = createManifestTools();
  const at = Date.UTC(2026, 5, 1, 12);
  expect(tools.simulate(at)).toBeUndefined();
  tools.check(bare(PUMP.replace("uint", "unit")));
  expect(tools.simulate(at)?.telemetry["flow"]).toBeTypeOf("number");
  tools.check(bare(PUMP));
  expect(tools.simulate(at)?.telemetry["flow"]).toBeTypeOf("number");
});

test("files of a package are looked for, and those of a bare manifest are not", () => {
  const tools = createManifestTools();
  const codes = (files: Record<string, string> | undefined) =>
    tools.check({ manifest: inverter, files }).issues.map(({ code }) => code);
  expect(codes({ "main.lua": "" })).toEqual([]);
  expect(codes({})).toEqual(["missing_file"]);
  expect(codes(undefined)).toEqual([]);
});

test("two versions are compared, breaking changes first", () => {
  const tools = createManifestTools();
  const old = PUMP.replace("uint", "unit");
  const next = old.replace("m3/h", "L/min").replace("Pump", "Pump 2");
  const comparison = tools.compare(bare(old), bare(next));
  expect(comparison?.isBreaking).toBe(true);
  expect(comparison?.changes.map(({ breaking }) => breaking)).toEqual([true, false]);
  expect(tools.compare(bare(PUMP), bare(next))).toBeUndefined();
});

test.each(Object.keys(DEVICE_KINDS).flatMap((kind) => [[kind, "lua"] as const, [kind, "embedded"] as const]))(
  "the draft of %s (%s) has nothing wrong with it",
  (kind, runtime) => {
    const tools = createManifestTools();
    const draft = tools.draft({ kind, name: "Mine", runtime, schema: "/schemas/device-3.0.json" });
    expect(tools.check(draft).issues).toEqual([]);
  },
);

test("profiles of the server replace the ones that come with the page", () => {
  const tools = createManifestTools();
  const known = tools.setProfiles({
    "lab/pump.yml":
      "display_name: Lab pump\ndescription: Pumps of the lab\ntelemetry:\n  head: {type: float, unit: m}\n",
  });
  expect(known).toEqual([{ id: "lab.pump", displayName: "Lab pump", description: "Pumps of the lab" }]);
  const manifest = `${PUMP.replace("uint", "unit")}implements: [lab.pump]\n`;
  expect(tools.check(bare(manifest)).issues.map(({ code }) => code)).toEqual(["profile_field_missing"]);
});
