import type { GeneratedManifest } from "./generate-manifest.ts";
import type { Site, SiteKind } from "./manifest-draft.ts";
import type { Random } from "./random.ts";
import type { Tree, Value } from "./render-tree.ts";

/** One change of a valid manifest, and what a validator must say about it: one issue at one place, or nothing. */
export interface Mutation {
  readonly name: string;
  readonly code: string | undefined;
  /** JSON pointer of the issue. */
  readonly path: string;
  readonly twice: ReadonlySet<string>;
}

type Change = (
  manifest: GeneratedManifest,
  random: Random,
) => (Omit<Mutation, "name" | "twice"> & { twice?: string }) | undefined;

const REQUIRED: Readonly<Record<SiteKind, readonly string[]>> = {
  manifest: ["blueprint_spec", "display_name", "runtime"],
  property: ["type", "display_name"],
  telemetry: ["type", "display_name"],
  group: ["display_name"],
  command: ["group", "display_name"],
  argument: ["type", "display_name"],
  response: ["type"],
  confirmation: ["severity", "title"],
  alert: ["severity", "display_name"],
  runtime: ["type"],
  options: [],
  support: [],
  unit: ["symbol"],
  bucket: ["display_name", "parameters"],
  parameter: ["type", "display_name"],
  ui: [],
};

const pointer = (path: readonly string[]): string =>
  path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** A site of one of the kinds that has what the change needs. */
function pickSite(manifest: GeneratedManifest, random: Random, fits: (site: Site) => boolean): Site | undefined {
  const sites = manifest.sites.filter(fits);
  return sites.length === 0 ? undefined : random.pick(sites);
}

const isOneOf =
  (...kinds: readonly SiteKind[]) =>
  (site: Site): boolean =>
    kinds.includes(site.kind);
const INPUTS = isOneOf("argument", "parameter");
const MEASURED = isOneOf("property", "telemetry");

/** Sets a key of some site. The site's other keys that could object are removed first. */
function setting(
  code: string | undefined,
  fits: (site: Site) => boolean,
  entries: Readonly<Record<string, Value>>,
  at: string,
): Change {
  return (manifest, random) => {
    // The attribute status has rules of its own.
    const site = pickSite(manifest, random, (each) => fits(each) && !each.path.includes("status"));
    if (site === undefined) return undefined;
    for (const key of ["enum", "min", "max", "default", "format", "auto_scale", "unit", "json_schema"]) {
      if (INPUTS(site) || MEASURED(site) || site.kind === "response") site.tree.delete(key);
    }
    for (const [key, value] of Object.entries(entries)) site.tree.set(key, value);
    return { code, path: pointer([...site.path, ...at.split("/")]) };
  };
}

function adding(code: string, section: string, entry: readonly [string, Value], at: readonly string[]): Change {
  return ({ tree }) => {
    const old = tree.get(section);
    const map: Tree = old instanceof Map ? old : new Map();
    map.set(entry[0], entry[1]);
    tree.set(section, map);
    return { code, path: pointer([section, ...at]) };
  };
}

/** Sets a top-level key. */
function atTop(code: string, entry: readonly [string, Value], path: string): Change {
  return ({ tree }) => {
    tree.set(entry[0], entry[1]);
    return { code, path };
  };
}

const object = (entries: Readonly<Record<string, Value>>): Tree => new Map(Object.entries(entries));
const attribute = (more: Readonly<Record<string, Value>> = {}): Tree =>
  object({ type: "float", display_name: "X", ...more });

const CHANGES: Readonly<Record<string, Change>> = {
  "unknown key": (manifest, random) => {
    const site = random.pick(manifest.sites);
    const key = random.pick(["zz_unknown", "constructor", "__proto__", "toString", "Type", "x-y", "hasOwnProperty"]);
    site.tree.set(key, random.pick<Value>(["x", 1, true, [], new Map()]));
    return { code: "unknown_key", path: pointer([...site.path, key]) };
  },
  "missing key": (manifest, random) => {
    const site = pickSite(manifest, random, ({ kind }) => REQUIRED[kind].length > 0);
    if (site === undefined) return undefined;
    site.tree.delete(random.pick(REQUIRED[site.kind]));
    return { code: "missing_key", path: pointer(site.path) };
  },
  "number for a text": (manifest, random) => {
    const site = pickSite(manifest, random, ({ tree }) => tree.has("display_name"));
    site?.tree.set("display_name", random.pick<Value>([5, 1.5, true]));
    return site && { code: "wrong_type", path: pointer([...site.path, "display_name"]) };
  },
  "object for a text": (manifest, random) => {
    const site = pickSite(manifest, random, ({ tree }) => tree.has("display_name"));
    site?.tree.set("display_name", random.pick<Value>([[], ["x"], new Map(), object({ a: 1 })]));
    return site && { code: "wrong_type", path: pointer([...site.path, "display_name"]) };
  },
  "text for a flag": setting("wrong_type", INPUTS, { required: "yes" }, "required"),
  "number for a flag": setting("wrong_type", INPUTS, { sensitive: 1 }, "sensitive"),
  "text for a number": setting("wrong_type", INPUTS, { min: "5" }, "min"),
  "list for a default": setting("wrong_type", INPUTS, { default: ["a"] }, "default"),
  "text for a list": setting("wrong_type", isOneOf("alert"), { troubleshooting: "try again" }, "troubleshooting"),
  "number in a list": setting("wrong_type", isOneOf("alert"), { conditions: ["a", 5] }, "conditions/1"),
  "list for an object": (manifest, random) => {
    const key = random.pick(["properties", "units", "configuration", "support"]);
    manifest.tree.set(key, random.pick<Value>([[], ["x"], "x", 5]));
    return { code: "wrong_type", path: pointer([key]) };
  },
  "flag in an enum": setting("wrong_type", MEASURED, { type: "string", enum: ["a", true] }, "enum/1"),
  "text for an enum": setting("wrong_type", MEASURED, { type: "string", enum: "a" }, "enum"),
  "unknown type": setting(
    "unknown_value",
    isOneOf("property", "telemetry", "argument", "response", "parameter"),
    { type: "flaot" },
    "type",
  ),
  "alerts as a property type": setting("unknown_value", isOneOf("property"), { type: "alerts" }, "type"),
  "json as a telemetry type": setting("unknown_value", isOneOf("telemetry"), { type: "json" }, "type"),
  "unknown level": setting(
    "unknown_value",
    isOneOf("property", "telemetry", "command", "bucket"),
    { access_level: "Owner" },
    "access_level",
  ),
  "unknown read level": setting(
    "unknown_value",
    isOneOf("command"),
    { read_access_level: "admin" },
    "read_access_level",
  ),
  "unknown severity": setting("unknown_value", isOneOf("alert"), { severity: "critical" }, "severity"),
  "error as a confirmation": setting("unknown_value", isOneOf("confirmation"), { severity: "error" }, "severity"),
  "unknown category": atTop("unknown_value", ["category", "batteries"], "/category"),
  "unknown colour": setting(
    "unknown_value",
    isOneOf("telemetry"),
    { type: "string", enum: object({ a: object({ color: "green-ish" }) }) },
    "enum/a/color",
  ),
  "colour of a property": setting(
    "unknown_key",
    isOneOf("property"),
    { type: "string", enum: object({ a: object({ color: "green" }) }) },
    "enum/a/color",
  ),
  "unknown runtime": atTop("unknown_value", ["runtime", object({ type: "python" })], "/runtime/type"),
  "unknown amalg mode": setting(
    "unknown_value",
    isOneOf("options"),
    { amalg_mode: ["nodebug", "minify"] },
    "amalg_mode/1",
  ),
  "unknown version": atTop("unknown_spec", ["blueprint_spec", "device/3.1"], "/blueprint_spec"),
  "old version": atTop("unknown_spec", ["blueprint_spec", "device/1.0"], "/blueprint_spec"),
  "bad property id": adding("bad_id", "properties", ["1st", attribute()], ["1st"]),
  "bad telemetry id": adding("bad_id", "telemetry", ["a-b", attribute()], ["a-b"]),
  "bad telemetry id of a prototype": adding("bad_id", "telemetry", ["__proto__", attribute()], ["__proto__"]),
  "bad bucket id": adding(
    "bad_id",
    "configuration",
    ["a b", object({ display_name: "X", parameters: new Map() })],
    ["a b"],
  ),
  "bad alert id": adding("bad_id", "alerts", ["a.b", object({ severity: "info", display_name: "X" })], ["a.b"]),
  "bad alias": setting(
    "bad_alias",
    isOneOf("property", "telemetry", "command"),
    { aliases: ["fine_one", "no-dash"] },
    "aliases/1",
  ),
  "alias of an id": (manifest, random) => {
    const site = pickSite(manifest, random, isOneOf("property", "telemetry", "command"));
    const section = site && manifest.tree.get(site.path[0] ?? "");
    const others = section instanceof Map && site ? [...section.keys()].filter((id) => id !== site.path[1]) : [];
    if (site === undefined || others.length === 0) return undefined;
    site.tree.set("aliases", [random.pick(others)]);
    return { code: "alias_taken", path: pointer([...site.path, "aliases", "0"]) };
  },
  "alias given twice": setting(
    "alias_taken",
    isOneOf("property", "telemetry", "command"),
    { aliases: ["same", "same"] },
    "aliases/1",
  ),
  "unknown group": setting("unknown_group", isOneOf("command"), { group: "no_such_group" }, "group"),
  "unknown source command": setting(
    "unknown_command",
    isOneOf("command"),
    { populate_values_command: "no_such_command" },
    "populate_values_command",
  ),
  "file with dir": setting("conflicting_keys", isOneOf("options"), { file: "main.lua", dir: "src" }, "file"),
  "rockspec with luarocks": setting(
    "conflicting_keys",
    isOneOf("options"),
    { rockspec: "x.rockspec", luarocks: [] },
    "luarocks",
  ),
  "text in an integer enum": setting("enum_value_type", MEASURED, { type: "integer", enum: [1, "two"] }, "enum/1"),
  "fraction in an integer enum": setting("enum_value_type", INPUTS, { type: "integer", enum: [1.5] }, "enum/0"),
  "text key in a float enum": setting(
    "enum_value_type",
    isOneOf("response"),
    { type: "float", enum: object({ x: new Map() }) },
    "enum/x",
  ),
  "text for an integer default": setting("default_type", INPUTS, { type: "integer", default: "much" }, "default"),
  "fraction for an integer default": setting("default_type", INPUTS, { type: "integer", default: 2.5 }, "default"),
  "number for a boolean default": setting("default_type", INPUTS, { type: "boolean", default: 2 }, "default"),
  "huge integer default": setting("default_type", INPUTS, { type: "integer", default: 2 ** 60 }, "default"),
  "text for a list default": setting("default_type", INPUTS, { type: "array_of_strings", default: "a" }, "default"),
  "no JSON for a json default": setting("default_type", INPUTS, { type: "json", default: "{" }, "default"),
  "min above max": setting("min_above_max", INPUTS, { type: "integer", min: 6, max: 5 }, "min"),
  "bad duration": setting("bad_duration", isOneOf("alert"), { grace_period: "1,5m" }, "grace_period"),
  "duration without a unit": setting("bad_duration", isOneOf("alert"), { grace_period: "15" }, "grace_period"),
  "empty value": (manifest, random) => {
    const site = pickSite(manifest, random, ({ tree }) => tree.size > 0);
    if (site === undefined) return undefined;
    // A missing runtime or telemetry has consequences elsewhere that are not at issue here.
    const key = random.pick([...site.tree.keys()]);
    site.tree.set(key, null);
    return { code: "empty_value", path: pointer([...site.path, key]) };
  },
  "same key twice": (manifest, random) => {
    const site = pickSite(manifest, random, ({ tree }) => tree.size > 0);
    if (site === undefined) return undefined;
    const key = random.pick([...site.tree.keys()]);
    return {
      code: "duplicate_key",
      path: pointer(site.path),
      twice: [...site.path, key].map((step) => `/${step}`).join(""),
    };
  },
  "bad inline schema": setting(
    "bad_json_schema",
    isOneOf("property", "argument"),
    { type: "json", json_schema: "{type: object}" },
    "json_schema",
  ),
  "text for a boolean default": setting("default_converted", INPUTS, { type: "boolean", default: "false" }, "default"),
  "text for a number default": setting("default_converted", INPUTS, { type: "integer", default: "5" }, "default"),
  "number for a text default": setting("default_converted", INPUTS, { type: "string", default: 5 }, "default"),
  "text in a number enum": setting("enum_value_converted", MEASURED, { type: "integer", enum: [1, "2"] }, "enum/1"),
  "default below min": setting("default_out_of_range", INPUTS, { type: "float", min: 1, default: 0.5 }, "default"),
  "default above max": setting("default_out_of_range", INPUTS, { type: "integer", max: 1, default: 2 }, "default"),
  "default outside its enum": setting(
    "default_not_in_enum",
    INPUTS,
    { type: "string", enum: ["a", "b"], default: "c" },
    "default",
  ),
  "bounds of a text": setting("bounds_without_order", INPUTS, { type: "string", min: 1 }, "min"),
  "schema of a number": setting(
    "json_schema_unused",
    isOneOf("property", "argument"),
    { type: "integer", json_schema: "{}" },
    "json_schema",
  ),
  "unknown unit": setting(
    "unknown_unit",
    isOneOf("property", "telemetry", "argument"),
    { type: "float", unit: "frobs" },
    "unit",
  ),
  "Celsius as C": setting(
    "ambiguous_unit",
    isOneOf("property", "telemetry", "argument"),
    { type: "float", unit: "C" },
    "unit",
  ),
  "Fahrenheit as F": setting("ambiguous_unit", MEASURED, { type: "float", unit: "F", allow_unit_c: true }, "unit"),
  "scale to another quantity": setting(
    "incompatible_scale",
    MEASURED,
    { type: "float", unit: "W", auto_scale: ["kW", "kWh"] },
    "auto_scale/1",
  ),
  "unknown telemetry": setting(
    "unknown_telemetry",
    isOneOf("alert"),
    { telemetry: ["no_such_attribute"] },
    "telemetry/0",
  ),
  "unknown format": setting("unknown_format", INPUTS, { type: "string", format: "zip code" }, "format"),
  "lua without a script": atTop("missing_script", ["runtime", object({ type: "lua" })], "/runtime"),
  "status as a number": adding("status_style", "telemetry", ["status", attribute()], ["status"]),
  "status without an enum": adding("status_style", "telemetry", ["status", attribute({ type: "string" })], ["status"]),

  "dot-keys": (manifest, random) => {
    for (const site of manifest.sites)
      if (random.chance(0.3))
        site.tree.set(
          random.pick([".", ".x", ".cloud_1"]),
          random.pick<Value>([null, "x", [1, true], object({ a: 1 })]),
        );
    return { code: undefined, path: "" };
  },
  "Coulomb as C": setting(undefined, MEASURED, { type: "float", unit: "C", allow_unit_c: true }, ""),
  "a whole float as an integer": setting(undefined, INPUTS, { type: "integer", default: 2, enum: [1, 2] }, ""),
  "a populating command of its own": (manifest, random) => {
    const site = pickSite(manifest, random, isOneOf("command"));
    site?.tree.set("populate_values_command", site.path[1] ?? "");
    return site && { code: undefined, path: "" };
  },
  "an alias equal to its own id": (manifest, random) => {
    const site = pickSite(manifest, random, isOneOf("telemetry"));
    site?.tree.set("aliases", site.path[1] ?? "");
    return site && { code: undefined, path: "" };
  },
};

const NAMES = Object.keys(CHANGES);

/** Changes the manifest in one place. Tries until a change finds what it needs. */
export function mutateManifest(manifest: GeneratedManifest, random: Random): Mutation {
  for (;;) {
    const name = random.pick(NAMES);
    const done = CHANGES[name]?.(manifest, random);
    if (done)
      return { name, code: done.code, path: done.path, twice: new Set(done.twice === undefined ? [] : [done.twice]) };
  }
}
