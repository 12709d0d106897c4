import { attribute, input, response } from "./generate-values.ts";
import { type Expectation, ManifestDraft, type Site } from "./manifest-draft.ts";
import { CATEGORIES, DURATIONS } from "./manifest-words.ts";
import type { Random } from "./random.ts";
import type { Tree } from "./render-tree.ts";

/**
 * Makes valid manifests from the words of the interface alone: nothing here comes from the validator. With each manifest it
 * says where what stands, for mutations, and which effective values a reader must arrive at.
 */
export interface GeneratedManifest {
  readonly tree: Tree;
  readonly sites: readonly Site[];
  readonly expectations: readonly Expectation[];
}

/** What parts of the manifest name each other by. */
interface Named {
  readonly groups: readonly string[];
  readonly commandIds: readonly string[];
  readonly telemetryIds: readonly string[];
}

export function generateManifest(random: Random): GeneratedManifest {
  const draft = new ManifestDraft(random);
  const groups = draft.ids(3);
  const commandIds = groups.length === 0 ? [] : draft.ids(4);
  const telemetryIds = [...draft.ids(6), ...(random.chance(0.3) ? ["status"] : [])];
  const named: Named = { groups, commandIds, telemetryIds };
  const tree = draft.site(
    "manifest",
    [],
    [
      ["blueprint_spec", "device/3.0"],
      ["implements", draft.maybe(0.2, () => draft.oneOrMore(["a.b"]))],
      ["implements_draft", draft.maybe(0.1, () => draft.oneOrMore(["c.d"]))],
      ["category", draft.maybe(0.5, () => random.pick(CATEGORIES))],
      ["display_name", draft.words()],
      ["description", draft.maybe(0.5, draft.words)],
      ["icon", draft.maybe(0.3, () => "battery")],
      ["properties", draft.mapOf(draft.ids(5), (id) => attribute(draft, "properties", id))],
      ["telemetry", draft.mapOf(telemetryIds, (id) => attribute(draft, "telemetry", id))],
      [
        "command_groups",
        draft.mapOf(groups, (id) =>
          draft.site(
            "group",
            ["command_groups", id],
            [
              ["display_name", draft.words()],
              ["description", draft.maybe(0.3, draft.words)],
            ],
          ),
        ),
      ],
      ["commands", draft.mapOf(commandIds, (id) => command(draft, id, named))],
      ["alerts", draft.mapOf(random.chance(0.3) ? ["1-alert", "-"] : draft.ids(3), (id) => alert(draft, id, named))],
      ["runtime", runtime(draft)],
      ["author", draft.maybe(0.2, () => "someone")],
      ["contributors", draft.maybe(0.2, () => ["one", "two"])],
      [
        "support",
        draft.maybe(0.2, () =>
          draft.site(
            "support",
            ["support"],
            [
              ["url", "https://example.com"],
              ["email", draft.maybe(0.5, () => "a@example.com")],
            ],
          ),
        ),
      ],
      ["license", draft.maybe(0.2, () => "MIT")],
      [
        "units",
        draft.mapOf(random.chance(0.3) ? ["turns", "m/x y"] : [], (id) =>
          draft.site(
            "unit",
            ["units", id],
            [
              ["symbol", "t"],
              ["display_name", draft.maybe(0.5, draft.words)],
            ],
          ),
        ),
      ],
      ["configuration", draft.mapOf(draft.ids(2), (id) => bucket(draft, id))],
    ],
  );
  const { sites, expectations } = draft;
  return { tree, sites, expectations };
}

function command(draft: ManifestDraft, id: string, { groups, commandIds }: Named): Tree {
  const path = ["commands", id];
  const [access, readAccess] = [draft.level(), draft.level()];
  draft.expectValue([...path, "accessLevel"], access ?? "user");
  draft.expectValue([...path, "readAccessLevel"], readAccess ?? access ?? "user");
  return draft.site("command", path, [
    ["group", draft.random.pick(groups)],
    ["display_name", draft.words()],
    ["description", draft.maybe(0.3, draft.words)],
    ["aliases", draft.aliases(path)],
    ["arguments", draft.mapOf(draft.ids(3), (name) => input(draft, "argument", [...path, "arguments", name]))],
    ["response", draft.mapOf(draft.ids(2), (name) => response(draft, [...path, "response", name]))],
    [
      "ui",
      draft.maybe(0.3, () =>
        draft.site(
          "ui",
          [...path, "ui"],
          [
            ["icon", "power"],
            ["quick_access", draft.random.chance(0.5)],
          ],
        ),
      ),
    ],
    [
      "confirmation",
      draft.maybe(0.2, () =>
        draft.site(
          "confirmation",
          [...path, "confirmation"],
          [
            ["severity", draft.random.pick(["info", "warning"])],
            ["title", draft.words()],
            ["description", draft.maybe(0.5, draft.words)],
          ],
        ),
      ),
    ],
    ["access_level", access],
    ["read_access_level", readAccess],
    ["populate_values_command", draft.maybe(0.2, () => draft.random.pick(commandIds))],
  ]);
}
function alert(draft: ManifestDraft, id: string, { telemetryIds }: Named): Tree {
  const duration = draft.maybe(0.5, () => draft.random.pick(DURATIONS));
  draft.expectValue(["alerts", id, "gracePeriod"], duration?.[1] ?? 0n);
  return draft.site(
    "alert",
    ["alerts", id],
    [
      ["severity", draft.random.pick(["info", "warning", "error"])],
      ["display_name", draft.words()],
      ["code", draft.maybe(0.3, () => "W115")],
      ["grace_period", duration?.[0]],
      ["description", draft.maybe(0.3, draft.words)],
      ["troubleshooting", draft.maybe(0.3, () => [draft.words(), draft.words()])],
      ["telemetry", telemetryIds.length > 0 ? draft.maybe(0.4, () => [draft.random.pick(telemetryIds)]) : undefined],
      ["components", draft.maybe(0.2, () => ["fan"])],
      ["conditions", draft.maybe(0.2, () => [])],
    ],
  );
}

function runtime(draft: ManifestDraft): Tree {
  if (draft.random.chance(0.4))
    return draft.site(
      "runtime",
      ["runtime"],
      [
        ["type", "embedded"],
        ["requirements", draft.maybe(0.5, () => ["modbus"])],
      ],
    );
  const options = draft.site(
    "options",
    ["runtime", "options"],
    [
      draft.random.chance(0.5) ? ["file", "main.lua"] : ["dir", "src"],
      draft.random.chance(0.5)
        ? ["luarocks", draft.maybe(0.5, () => ["lua-cjson ~> 2.1"])]
        : ["rockspec", draft.maybe(0.5, () => "x.rockspec")],
      ["allow_dev_luarocks", draft.maybe(0.2, () => true)],
      ["amalg_mode", draft.maybe(0.2, () => draft.oneOrMore(["isolate"]))],
    ],
  );
  return draft.site(
    "runtime",
    ["runtime"],
    [
      ["type", "lua"],
      ["options", options],
      ["requirements", draft.maybe(0.3, () => [])],
    ],
  );
}

function bucket(draft: ManifestDraft, id: string): Tree {
  const access = draft.level();
  draft.expectValue(["configuration", id, "accessLevel"], access ?? "user");
  return draft.site(
    "bucket",
    ["configuration", id],
    [
      ["display_name", draft.words()],
      ["description", draft.maybe(0.3, draft.words)],
      ["access_level", access],
      ["ui", draft.maybe(0.2, () => draft.site("ui", ["configuration", id, "ui"], [["icon", "x"]]))],
      [
        "parameters",
        new Map(
          draft.ids(3).map((name) => [name, input(draft, "parameter", ["configuration", id, "parameters", name])]),
        ),
      ],
    ],
  );
}
