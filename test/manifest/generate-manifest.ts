import type { Random } from "./random.ts";
import type { Tree, Value } from "./render-tree.ts";

/**
 * Makes valid manifests from the words of the interface alone: nothing here comes from the validator. With each manifest it
 * says where what stands, for mutations, and which effective values a reader must arrive at.
 */
export interface GeneratedManifest {
  readonly tree: Tree;
  readonly sites: readonly Site[];
  readonly expectations: readonly Expectation[];
}

/** A part of the manifest and what it is. */
export interface Site {
  readonly kind: SiteKind;
  readonly path: readonly string[];
  readonly tree: Tree;
}

export type SiteKind =
  | "manifest"
  | "property"
  | "telemetry"
  | "group"
  | "command"
  | "argument"
  | "response"
  | "confirmation"
  | "alert"
  | "runtime"
  | "options"
  | "support"
  | "unit"
  | "bucket"
  | "parameter"
  | "ui";

/** The value at a path of the blueprint, whose maps and objects are walked alike. */
interface Expectation {
  readonly path: readonly string[];
  readonly value: unknown;
}

const LEVELS = ["readonly", "user", "owner", "installer", "vendor", "system"];
const CATEGORIES =
  "battery-systems control data-providers electric-vehicles electrolysers fuel-cells fuel-generators gas-equipment hvac hydrogen-storage loads networking power-distribution power-meters sensors solar-generators water-treatment wind-generators".split(
    " ",
  );
const COLOURS = "blue yellow green red cyan pink purple orange"
  .split(" ")
  .flatMap((hue) => ["-lighter", "-light", "", "-dark", "-darker"].map((shade) => hue + shade));
const WORDS =
  "power voltage current mode state level limit grid battery stack pressure speed energy cell pump fan valve relay load source".split(
    " ",
  );
/** Ordinary IDs, however odd they look. */
const ODD_IDS = [
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "a",
  "Z9_",
  "true",
  "null",
  "yes",
  "prototype",
];
const TEXTS = [
  "Plain text",
  "with: colon",
  "#hash",
  "it's",
  'say "hi"',
  "ünïcödé ✓",
  "- dash",
  "a\nb",
  "[x]",
  "{y}",
  "100%",
  "",
  " padded ",
  "back\\slash",
  "123",
  "true",
  "~",
];
const UNIT_FAMILIES = [
  ["W", "kW", "MW", "GW"],
  ["Wh", "kWh", "MWh"],
  ["V", "mV", "kV"],
  ["A", "mA"],
  ["Cel", "K"],
  ["Pa", "kPa", "bar", "mbar"],
  ["L/min", "m3/h"],
  ["s", "min", "h"],
  ["%", "[ppm]"],
  ["Hz"],
  ["W/m2"],
];
const DURATIONS: readonly (readonly [string, bigint])[] = [
  ["15s", 15_000_000_000n],
  ["2m30s", 150_000_000_000n],
  ["1.5m", 90_000_000_000n],
  ["100ms", 100_000_000n],
  ["1d", 86_400_000_000_000n],
  ["", 0n],
];

export function generateManifest(random: Random): GeneratedManifest {
  const sites: Site[] = [];
  const expectations: Expectation[] = [];
  const expectValue = (path: readonly string[], value: unknown) => expectations.push({ path, value });

  const site = (
    kind: SiteKind,
    path: readonly string[],
    entries: readonly (readonly [string, Value | undefined])[],
  ): Tree => {
    const given = entries.filter((entry): entry is [string, Value] => entry[1] !== undefined);
    const tree: Tree = new Map(shuffled(random, given));
    sites.push({ kind, path, tree });
    return tree;
  };
  const maybe = <T>(share: number, make: () => T): T | undefined => (random.chance(share) ? make() : undefined);
  const words = (): string => random.pick(TEXTS);
  const level = () => maybe(0.3, () => random.pick(LEVELS));
  const oneOrMore = (texts: readonly string[]): Value =>
    texts.length === 1 && random.chance(0.5) ? (texts[0] ?? "") : texts;

  const ids = (most: number): readonly string[] => {
    const chosen = new Set<string>();
    for (let count = random.below(most + 1); count > 0; count -= 1) {
      chosen.add(random.chance(0.1) ? random.pick(ODD_IDS) : `${random.pick(WORDS)}_${random.below(100)}`);
    }
    return [...chosen];
  };
  const mapOf = (names: readonly string[], make: (id: string) => Tree): Tree | undefined =>
    names.length === 0 && random.chance(0.7) ? undefined : new Map(names.map((id) => [id, make(id)]));

  /** Aliases that nothing else of the section has. */
  let aliasCount = 0;
  const aliases = (path: readonly string[]): Value | undefined => {
    const chosen = random.chance(0.3) ? Array.from({ length: 1 + random.below(2) }, () => `alias_${aliasCount++}`) : [];
    expectValue([...path, "aliases"], chosen);
    return chosen.length === 0 ? undefined : oneOrMore(chosen);
  };

  interface Typed {
    readonly type: string;
    readonly enum: Value | undefined;
    readonly values: readonly (string | number)[];
  }
  const typed = (types: readonly string[], path: readonly string[], isColoured: boolean): Typed => {
    const type = random.pick(types);
    const isListed = ["string", "integer", "float"].includes(type) && random.chance(0.3);
    if (!isListed) {
      expectValue([...path, "enum"], undefined);
      return { type, enum: undefined, values: [] };
    }
    const values = enumOf(random, type);
    const item = (): Tree => {
      const entries: [string, Value][] = [];
      if (random.chance(0.7)) entries.push(["display_name", words()]);
      if (random.chance(0.3)) entries.push(["description", words()]);
      if (isColoured && random.chance(0.5)) entries.push(["color", random.pick(COLOURS)]);
      return new Map(entries);
    };
    expectValue([...path, "enum", "values"], values);
    return {
      type,
      enum: random.chance(0.5) ? values : new Map(values.map((value) => [String(value), item()])),
      values,
    };
  };

  const measured = (type: string): readonly [string, Value | undefined][] => {
    if (!["integer", "float"].includes(type) || random.chance(0.4)) return [];
    const family = random.pick(UNIT_FAMILIES);
    return [
      ["unit", random.pick(family)],
      ["auto_scale", maybe(0.4, () => [...family])],
    ];
  };

  const attribute = (section: "properties" | "telemetry", id: string): Tree => {
    const path = [section, id];
    const isTelemetry = section === "telemetry";
    const types = ["boolean", "string", "integer", "float", "array_of_strings", isTelemetry ? "alerts" : "json"];
    const value =
      id === "status" ? { type: "string", enum: ["on", "off"], values: [] } : typed(types, path, isTelemetry);
    const access = level();
    expectValue([...path, "accessLevel"], access ?? "readonly");
    expectValue([...path, "type"], value.type);
    return site(isTelemetry ? "telemetry" : "property", path, [
      ["type", value.type],
      ["display_name", words()],
      ["description", maybe(0.4, words)],
      ["aliases", aliases(path)],
      ...measured(value.type),
      ["enum", value.enum],
      ["access_level", access],
      ["json_schema", value.type === "json" ? '{"type": "object"}' : undefined],
    ]);
  };

  const limits = (value: Typed, path: readonly string[]): readonly [string, Value | undefined][] => {
    const isNumber = value.type === "integer" || value.type === "float";
    const isFree = isNumber && value.values.length === 0;
    const min = isFree && random.chance(0.4) ? random.below(10) : undefined;
    const max = isFree && random.chance(0.4) ? 10 + random.below(10) : undefined;
    const given = random.chance(0.4) ? defaultOf(random, value.type, value.values) : undefined;
    expectValue([...path, "default"], given?.read);
    return [
      ["min", min],
      ["max", max],
      ["default", given?.written],
    ];
  };

  const VALUE_TYPES = ["boolean", "string", "integer", "float", "array_of_strings", "json"];
  const input = (kind: "argument" | "parameter", path: readonly string[]): Tree => {
    const value = typed(VALUE_TYPES, path, false);
    const isRequired = maybe(0.4, () => random.chance(0.5));
    expectValue([...path, "required"], isRequired ?? false);
    return site(kind, path, [
      ["display_name", words()],
      ["description", maybe(0.3, words)],
      ["required", isRequired],
      ["type", value.type],
      ["enum", value.enum],
      ["format", value.type === "string" ? maybe(0.2, () => random.pick(["date-time", "uri", "email"])) : undefined],
      ["sensitive", maybe(0.2, () => random.chance(0.5))],
      ...limits(value, path),
      ["json_schema", kind === "argument" && value.type === "json" ? maybe(0.5, () => '{"type": "array"}') : undefined],
      ["unit", kind === "argument" ? maybe(0.2, () => "kW") : undefined],
    ]);
  };

  const groups = ids(3);
  const commandIds = groups.length === 0 ? [] : ids(4);
  const command = (id: string): Tree => {
    const path = ["commands", id];
    const [access, readAccess] = [level(), level()];
    expectValue([...path, "accessLevel"], access ?? "user");
    expectValue([...path, "readAccessLevel"], readAccess ?? access ?? "user");
    return site("command", path, [
      ["group", random.pick(groups)],
      ["display_name", words()],
      ["description", maybe(0.3, words)],
      ["aliases", aliases(path)],
      ["arguments", mapOf(ids(3), (name) => input("argument", [...path, "arguments", name]))],
      ["response", mapOf(ids(2), (name) => response([...path, "response", name]))],
      [
        "ui",
        maybe(0.3, () =>
          site(
            "ui",
            [...path, "ui"],
            [
              ["icon", "power"],
              ["quick_access", random.chance(0.5)],
            ],
          ),
        ),
      ],
      [
        "confirmation",
        maybe(0.2, () =>
          site(
            "confirmation",
            [...path, "confirmation"],
            [
              ["severity", random.pick(["info", "warning"])],
              ["title", words()],
              ["description", maybe(0.5, words)],
            ],
          ),
        ),
      ],
      ["access_level", access],
      ["read_access_level", readAccess],
      ["populate_values_command", maybe(0.2, () => random.pick(commandIds))],
    ]);
  };
  const response = (path: readonly string[]): Tree => {
    const value = typed(VALUE_TYPES, path, false);
    return site("response", path, [
      ["display_name", maybe(0.5, words)],
      ["type", value.type],
      ["required", maybe(0.3, () => true)],
      ["enum", value.enum],
    ]);
  };

  const telemetryIds = [...ids(6), ...(random.chance(0.3) ? ["status"] : [])];
  const alert = (id: string): Tree => {
    const duration = maybe(0.5, () => random.pick(DURATIONS));
    expectValue(["alerts", id, "gracePeriod"], duration?.[1] ?? 0n);
    return site(
      "alert",
      ["alerts", id],
      [
        ["severity", random.pick(["info", "warning", "error"])],
        ["display_name", words()],
        ["code", maybe(0.3, () => "W115")],
        ["grace_period", duration?.[0]],
        ["description", maybe(0.3, words)],
        ["troubleshooting", maybe(0.3, () => [words(), words()])],
        ["telemetry", telemetryIds.length > 0 ? maybe(0.4, () => [random.pick(telemetryIds)]) : undefined],
        ["components", maybe(0.2, () => ["fan"])],
        ["conditions", maybe(0.2, () => [])],
      ],
    );
  };

  const runtime = (): Tree => {
    if (random.chance(0.4))
      return site(
        "runtime",
        ["runtime"],
        [
          ["type", "embedded"],
          ["requirements", maybe(0.5, () => ["modbus"])],
        ],
      );
    const options = site(
      "options",
      ["runtime", "options"],
      [
        random.chance(0.5) ? ["file", "main.lua"] : ["dir", "src"],
        random.chance(0.5)
          ? ["luarocks", maybe(0.5, () => ["lua-cjson ~> 2.1"])]
          : ["rockspec", maybe(0.5, () => "x.rockspec")],
        ["allow_dev_luarocks", maybe(0.2, () => true)],
        ["amalg_mode", maybe(0.2, () => oneOrMore(["isolate"]))],
      ],
    );
    return site(
      "runtime",
      ["runtime"],
      [
        ["type", "lua"],
        ["options", options],
        ["requirements", maybe(0.3, () => [])],
      ],
    );
  };

  const bucket = (id: string): Tree => {
    const access = level();
    expectValue(["configuration", id, "accessLevel"], access ?? "user");
    return site(
      "bucket",
      ["configuration", id],
      [
        ["display_name", words()],
        ["description", maybe(0.3, words)],
        ["access_level", access],
        ["ui", maybe(0.2, () => site("ui", ["configuration", id, "ui"], [["icon", "x"]]))],
        [
          "parameters",
          new Map(ids(3).map((name) => [name, input("parameter", ["configuration", id, "parameters", name])])),
        ],
      ],
    );
  };

  const tree = site(
    "manifest",
    [],
    [
      ["blueprint_spec", "device/3.0"],
      ["implements", maybe(0.2, () => oneOrMore(["a.b"]))],
      ["implements_draft", maybe(0.1, () => oneOrMore(["c.d"]))],
      ["category", maybe(0.5, () => random.pick(CATEGORIES))],
      ["display_name", words()],
      ["description", maybe(0.5, words)],
      ["icon", maybe(0.3, () => "battery")],
      ["properties", mapOf(ids(5), (id) => attribute("properties", id))],
      ["telemetry", mapOf(telemetryIds, (id) => attribute("telemetry", id))],
      [
        "command_groups",
        mapOf(groups, (id) =>
          site(
            "group",
            ["command_groups", id],
            [
              ["display_name", words()],
              ["description", maybe(0.3, words)],
            ],
          ),
        ),
      ],
      ["commands", mapOf(commandIds, command)],
      ["alerts", mapOf(random.chance(0.3) ? ["1-alert", "-"] : ids(3), alert)],
      ["runtime", runtime()],
      ["author", maybe(0.2, () => "someone")],
      ["contributors", maybe(0.2, () => ["one", "two"])],
      [
        "support",
        maybe(0.2, () =>
          site(
            "support",
            ["support"],
            [
              ["url", "https://example.com"],
              ["email", maybe(0.5, () => "a@example.com")],
            ],
          ),
        ),
      ],
      ["license", maybe(0.2, () => "MIT")],
      [
        "units",
        mapOf(random.chance(0.3) ? ["turns", "m/x y"] : [], (id) =>
          site(
            "unit",
            ["units", id],
            [
              ["symbol", "t"],
              ["display_name", maybe(0.5, words)],
            ],
          ),
        ),
      ],
      ["configuration", mapOf(ids(2), bucket)],
    ],
  );
  return { tree, sites, expectations };
}

function enumOf(random: Random, type: string): readonly (string | number)[] {
  if (type === "string") return ["low", "high", "1", "auto mode", "constructor"].slice(0, 1 + random.below(5));
  const step = type === "float" ? 0.5 : 1;
  return Array.from({ length: 1 + random.below(4) }, (_, index) => index * step - 1);
}

/** A default as it is written, and as a reader must read it. */
function defaultOf(
  random: Random,
  type: string,
  values: readonly (string | number)[],
): { written: Value; read: unknown } | undefined {
  if (values.length > 0) {
    const value = random.pick(values);
    return { written: value, read: value };
  }
  switch (type) {
    case "boolean":
      return { written: true, read: true };
    case "string":
      return { written: "some text", read: "some text" };
    case "integer":
      return { written: 10, read: 10 };
    case "float": {
      const value = random.pick([10, 9.5]);
      return { written: value, read: value };
    }
    case "array_of_strings":
      return { written: '["a", "b"]', read: ["a", "b"] };
    default:
      return { written: '{"a": 1}', read: { a: 1 } };
  }
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  if (random.chance(0.5)) return items;
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    const [one, two] = [mixed[at], mixed[other]];
    if (one !== undefined && two !== undefined) [mixed[at], mixed[other]] = [two, one];
  }
  return mixed;
}
