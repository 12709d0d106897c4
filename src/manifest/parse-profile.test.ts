import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { profileIdOf } from "#core/blueprint/profile-schema.ts";
import { parseProfile } from "./parse-profile.ts";
import { parseProfiles } from "./parse-profiles.ts";

const issuesOf = (text: string, known?: readonly string[]) =>
  parseProfile("a.b", text, known && new Set(known)).issues.map(
    ({ code, path, range }) => `${code} ${path} ${range.start.line}`,
  );

describe("one profile", () => {
  test("everything that it may say is read", () => {
    const { profile, issues } = parseProfile(
      "energy.test",
      `
display_name: Test
description: All there is.
implements: [device.status, device.alerts]
properties:
  rating: {type: float, unit: kW, display_name: Rating, description: On the label.}
telemetry:
  constructor: {type: integer, enum: {"1": {display_name: One}, "2": {}}}
commands:
  go:
    display_name: Go
    arguments:
      where: {type: string, required: true, enum: [up, down]}
    response:
      any name: {type: boolean}
`,
    );
    expect(issues).toEqual([]);
    expect(profile).toMatchObject({
      id: "energy.test",
      displayName: "Test",
      description: "All there is.",
      implements: ["device.status", "device.alerts"],
    });
    expect(profile?.properties.get("rating")).toEqual({
      type: "float",
      unit: "kW",
      displayName: "Rating",
      description: "On the label.",
      enum: undefined,
    });
    expect(profile?.telemetry.get("constructor")?.enum?.map(({ value }) => value)).toEqual([1, 2]);
    const command = profile?.commands.get("go");
    expect(command?.arguments.get("where")).toMatchObject({ required: true, type: "string" });
    expect(command?.response.get("any name")).toMatchObject({ type: "boolean" });
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["a misspelt key", "display_nam: X", ["unknown_key /display_nam 1", "missing_key  1"]],
    ["an unknown type", "display_name: X\ntelemetry: {a: {type: flot}}", ["unknown_value /telemetry/a/type 2"]],
    ["a missing type", "display_name: X\ntelemetry:\n  a: {unit: W}", ["missing_key /telemetry/a 3"]],
    ["a bad id", "display_name: X\ntelemetry: {1a: {type: float}}", ["bad_id /telemetry/1a 2"]],
    [
      "a type of the other kind",
      "display_name: X\nproperties: {a: {type: alerts}}",
      ["unknown_value /properties/a/type 2"],
    ],
    [
      "a misspelt unit",
      "display_name: X\ntelemetry: {a: {type: float, unit: kwh}}",
      ["unknown_unit /telemetry/a/unit 2"],
    ],
    [
      "an enum of another type",
      "display_name: X\ntelemetry: {a: {type: integer, enum: [x]}}",
      ["enum_value_type /telemetry/a/enum/0 2"],
    ],
    ["several at once", "x: 1\ny: 2", ["unknown_key /x 1", "missing_key  1", "unknown_key /y 2"]],
    ["no document", "", ["empty_document  1"]],
    ["no YAML", "a: [", ["yaml_syntax  1"]],
  ])("%s", (_, text, expected) => {
    expect(issuesOf(text)).toEqual(expected);
  });

  test("an included profile that does not exist names the nearest", () => {
    const { profile, issues } = parseProfile(
      "a",
      "display_name: X\nimplements: energy.batery",
      new Set(["energy.battery"]),
    );
    expect(profile?.implements).toEqual(["energy.batery"]);
    expect(issues).toMatchObject([
      { code: "unknown_profile", path: "/implements", fix: { title: "Change to energy.battery" } },
    ]);
  });

  test("random text never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseProfile("a", text).issues)));
  });
});

describe("a folder of profiles", () => {
  test.each([
    ["energy/battery.yml", "energy.battery"],
    ["a.yaml", "a"],
    ["a/b_2/c.yml", "a.b_2.c"],
    ["energy/hybrid_inverter/3_phase.yml", "energy.hybrid_inverter.3_phase"],
    ["lib/energy/battery/soc.yml", "lib.energy.battery.soc"],
    ["Energy/battery.yml", undefined],
    ["battery.json", undefined],
    ["a-b.yml", undefined],
    [".yml", undefined],
    ["a//b.yml", undefined],
  ])("the file %s is the profile %s", (path, expected) => {
    expect(profileIdOf(path)).toBe(expected);
  });

  const named = (includes: string) => `display_name: X${includes === "" ? "" : `\nimplements: [${includes}]`}`;
  const parse = (files: Readonly<Record<string, string>>) => {
    const { profiles, issues } = parseProfiles(
      new Map(Object.entries(files).map(([path, text]) => [path, named(text)])),
    );
    const messages = [...issues].flatMap(([path, list]) =>
      list.map(({ code, message }) => `${path} ${code}: ${message}`),
    );
    return { ids: profiles.map(({ id }) => id), messages };
  };

  test("profiles include each other in any order", () => {
    expect(parse({ "a.yml": "b.c, d", "b/c.yml": "d", "d.yml": "" })).toEqual({ ids: ["a", "b.c", "d"], messages: [] });
  });

  test("a file of the ecosystem says what it is; a draft is one, and only drafts include it", () => {
    const text = "blueprint_spec: profile/1.0\ndisplay_name: X\ndescription: Y\n";
    const files = new Map([
      ["lib/energy/battery/soc.yml", `${text}telemetry: {battery_soc: {display_name: Charge, type: float, unit: "%"}}`],
      ["lib/new.yml", `${text}draft: true\nimplements: [lib.energy.battery.soc]`],
      ["energy/3_phase.yml", `${text}implements:\n  - lib.energy.battery.soc\n  - lib.new`],
    ]);
    const { profiles, issues } = parseProfiles(files);
    expect(profiles.map(({ id, isDraft }) => [id, isDraft])).toEqual([
      ["lib.energy.battery.soc", false],
      ["lib.new", true],
      ["energy.3_phase", false],
    ]);
    expect([...issues].map(([path, list]) => [path, list.map(({ code, severity }) => `${severity} ${code}`)])).toEqual([
      ["energy/3_phase.yml", ["warning profile_draft"]],
    ]);
  });

  test("circles are named and broken", () => {
    expect(parse({ "a.yml": "b", "b.yml": "c", "c.yml": "a", "d.yml": "a", "e.yml": "e" })).toEqual({
      ids: ["d"],
      messages: [
        "a.yml profile_cycle: The profile includes itself: a -> b -> c -> a.",
        "b.yml profile_cycle: The profile includes itself: b -> c -> a -> b.",
        "c.yml profile_cycle: The profile includes itself: c -> a -> b -> c.",
        "e.yml profile_cycle: The profile includes itself: e -> e.",
      ],
    });
  });

  test("a file that cannot be a profile is named", () => {
    expect(parse({ "Upper.yml": "" }).messages).toEqual([
      "Upper.yml bad_id: Upper.yml cannot be a profile: its folders and name are words of small letters, digits and _, and it ends in .yml.",
    ]);
  });
});
