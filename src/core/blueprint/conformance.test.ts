import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { areCompatible } from "#manifest/units.ts";
import { conformance } from "./conformance.ts";
import { createProfileLibrary, type Profile, type ProfileField, splitFieldName } from "./profile.ts";

const field = (type: ProfileField["type"], unit?: string, values?: readonly string[]): ProfileField => ({
  type,
  unit,
  displayName: undefined,
  description: "",
  enum: values?.map((value) => ({ value, displayName: undefined, description: undefined, color: undefined })),
});

function profile(id: string, parts: Partial<Profile>): Profile {
  const empty = {
    properties: new Map(),
    telemetry: new Map(),
    commands: new Map(),
    controls: new Map(),
    implements: [],
  };
  return { id, displayName: undefined, description: "", isDraft: false, ...empty, ...parts };
}

const LIBRARY = createProfileLibrary([
  profile("meter", { telemetry: new Map([["power", field("float", "kW")]]) }),
  profile("battery", {
    implements: ["meter", "circle", "gone"],
    properties: new Map([["capacity", field("float", "kWh")]]),
    telemetry: new Map([["mode", field("string", undefined, ["idle", "busy"])]]),
  }),
  profile("circle", { implements: ["battery"] }),
  profile("control", {
    commands: new Map([
      [
        "charge",
        {
          displayName: undefined,
          description: "",
          arguments: new Map([["power", { ...field("float", "kW"), required: true }]]),
          response: new Map([["accepted", field("boolean")]]),
        },
      ],
    ]),
  }),
]);

const HEAD =
  "blueprint_spec: device/3.0\ndisplay_name: D\nruntime: {type: embedded}\ncommand_groups: {g: {display_name: G}}\n";

function findings(body: string): string[] {
  const { blueprint, issues } = parseManifest(HEAD + body);
  if (blueprint === undefined) throw new Error(JSON.stringify(issues));
  return conformance(blueprint, LIBRARY, areCompatible).map(
    ({ kind, profile: id, path }) => `${kind} ${id} ${path.join("/")}`,
  );
}

test.each([
  ["no profile is asked for", "", []],
  ["a profile that is not there", "implements: metre", ["unknown metre implements/0"]],
  ["a missing field", "implements: meter", ["missing meter implements/0"]],
  ["the field under its own name", "implements: meter\ntelemetry: {power: {type: float, display_name: P}}", []],
  [
    "an integer where a float is asked for",
    "implements: meter\ntelemetry: {power: {type: integer, display_name: P}}",
    [],
  ],
  [
    "another unit of the same quantity",
    "implements: meter\ntelemetry: {power: {type: float, display_name: P, unit: W}}",
    [],
  ],
  [
    "a unit of another quantity",
    "implements: meter\ntelemetry: {power: {type: float, display_name: P, unit: V}}",
    ["differs meter telemetry/power/unit"],
  ],
  [
    "another type",
    "implements: meter\ntelemetry: {power: {type: string, display_name: P}}",
    ["differs meter telemetry/power/type"],
  ],
  [
    "a property is no telemetry",
    "implements: meter\nproperties: {power: {type: float, display_name: P}}",
    ["missing meter implements/0"],
  ],
  ["the field by an alias", "implements: meter\ntelemetry: {p: {type: float, display_name: P, aliases: power}}", []],
  [
    "the field by implements",
    "implements: meter\ntelemetry: {p: {type: float, display_name: P, implements: meter.power}}",
    [],
  ],
  [
    "the field by a profile that includes it",
    "implements: meter\ntelemetry: {p: {type: float, display_name: P, implements: circle.power}}",
    [],
  ],
  [
    "implements counts more than the name",
    "implements: meter\ntelemetry: {power: {type: string, display_name: P}, p: {type: float, display_name: P, implements: meter.power}}",
    [],
  ],
  [
    "included profiles, in a circle",
    "implements: [battery, circle]",
    ["missing battery implements/0", "missing battery implements/0", "missing meter implements/0"],
  ],
  [
    "an enum value that the profile lacks",
    "implements: battery\nproperties: {capacity: {type: float, display_name: C}}\ntelemetry: {power: {type: float, display_name: P}, mode: {type: string, display_name: M, enum: [idle, off]}}",
    ["differs battery telemetry/mode/enum"],
  ],
  [
    "fewer enum values",
    "implements: battery\nproperties: {capacity: {type: float, display_name: C}}\ntelemetry: {power: {type: float, display_name: P}, mode: {type: string, display_name: M, enum: [idle]}}",
    [],
  ],
  ["a missing command", "implements: control", ["missing control implements/0"]],
  [
    "a command without its argument and response",
    "implements: control\ncommands: {charge: {group: g, display_name: C}}",
    ["differs control commands/charge/arguments", "differs control commands/charge/response"],
  ],
  [
    "a command that needs more",
    "implements: control\ncommands: {charge: {group: g, display_name: C, arguments: {power: {type: float, display_name: P}, x: {type: float, display_name: X, required: true}}, response: {accepted: {type: boolean}}}}",
    ["differs control commands/charge/arguments/x/required"],
  ],
  ["a draft is not asked for", "implements_draft: meter", []],
])("%s", (_, body, expected) => {
  expect(findings(body)).toEqual(expected);
});

test("profiles are resolved with all that they include, each once, unknown ones kept", () => {
  expect(LIBRARY.resolve(["battery", "nowhere", "meter"])).toEqual(["battery", "meter", "circle", "gone", "nowhere"]);
});

test.each([
  ["energy.battery.soc.level", "energy.battery.soc", "level"],
  ["level", "", "level"],
  ["", "", ""],
])("%s names the profile [%s] and the field [%s]", (name, id, fieldName) => {
  expect(splitFieldName(name)).toEqual({ profile: id, field: fieldName });
});

const WARNED: readonly (readonly [string, string])[] = [
  ["implements: metr", "unknown_profile /implements meter"],
  ["telemetry: {p: {type: float, display_name: P, implements: metr.power}}", "unknown_profile /telemetry/p/implements"],
  ["telemetry: {p: {type: float, display_name: P, implements: meter}}", "unknown_profile /telemetry/p/implements"],
  [
    "telemetry: {p: {type: float, display_name: P, implements: meter.powr}}",
    "unknown_profile /telemetry/p/implements meter.power",
  ],
  ["implements: [meter]", "profile_field_missing /implements/0"],
];

test.each(WARNED)("a manifest with %s is accepted with the warning %s", (body, expected) => {
  const { blueprint, issues } = parseManifest(HEAD + body, { profiles: LIBRARY });
  expect(blueprint).toBeDefined();
  const said = issues.map((issue) => `${issue.code} ${issue.path} ${issue.fix?.edits[0]?.text ?? ""}`.trim());
  expect(said).toEqual([expected]);
});

test("a manifest with errors elsewhere still hears about its profiles, but not about what could not be read", () => {
  const body = "implements: meter\ntelemetry: {power: {type: flaot, display_name: P}}\n";
  const { issues } = parseManifest(HEAD + body, { profiles: LIBRARY });
  expect(issues.map((issue) => issue.code)).toEqual(["unknown_value"]);
});
