// The parts of a manifest that hold values: attributes, arguments, parameters and response fields.
import type { Entries, ManifestDraft } from "./manifest-draft.ts";
import { COLOURS, defaultOf, enumOf, UNIT_FAMILIES } from "./manifest-words.ts";
import type { Tree, Value } from "./render-tree.ts";

const VALUE_TYPES = ["boolean", "string", "integer", "float", "array_of_strings", "json"];

interface Typed {
  readonly type: string;
  readonly enum: Value | undefined;
  readonly values: readonly (string | number)[];
}
function typed(draft: ManifestDraft, types: readonly string[], path: readonly string[], isColoured: boolean): Typed {
  const type = draft.random.pick(types);
  const isListed = ["string", "integer", "float"].includes(type) && draft.random.chance(0.3);
  if (!isListed) {
    draft.expectValue([...path, "enum"], undefined);
    return { type, enum: undefined, values: [] };
  }
  const values = enumOf(draft.random, type);
  const item = (): Tree => {
    const entries: [string, Value][] = [];
    if (draft.random.chance(0.7)) entries.push(["display_name", draft.words()]);
    if (draft.random.chance(0.3)) entries.push(["description", draft.words()]);
    if (isColoured && draft.random.chance(0.5)) entries.push(["color", draft.random.pick(COLOURS)]);
    return new Map(entries);
  };
  draft.expectValue([...path, "enum", "values"], values);
  return {
    type,
    enum: draft.random.chance(0.5) ? values : new Map(values.map((value) => [String(value), item()])),
    values,
  };
}

function measured(draft: ManifestDraft, type: string): Entries {
  if (!["integer", "float"].includes(type) || draft.random.chance(0.4)) return [];
  const family = draft.random.pick(UNIT_FAMILIES);
  return [
    ["unit", draft.random.pick(family)],
    ["auto_scale", draft.maybe(0.4, () => [...family])],
  ];
}

export function attribute(draft: ManifestDraft, section: "properties" | "telemetry", id: string): Tree {
  const path = [section, id];
  const isTelemetry = section === "telemetry";
  const types = ["boolean", "string", "integer", "float", "array_of_strings", isTelemetry ? "alerts" : "json"];
  const value =
    id === "status" ? { type: "string", enum: ["on", "off"], values: [] } : typed(draft, types, path, isTelemetry);
  const access = draft.level();
  draft.expectValue([...path, "accessLevel"], access ?? "readonly");
  draft.expectValue([...path, "type"], value.type);
  return draft.site(isTelemetry ? "telemetry" : "property", path, [
    ["type", value.type],
    ["display_name", draft.words()],
    ["description", draft.maybe(0.4, draft.words)],
    ["aliases", draft.aliases(path)],
    ...measured(draft, value.type),
    ["enum", value.enum],
    ["access_level", access],
    ["json_schema", value.type === "json" ? '{"type": "object"}' : undefined],
  ]);
}

function limits(draft: ManifestDraft, value: Typed, path: readonly string[]): Entries {
  const isNumber = value.type === "integer" || value.type === "float";
  const isFree = isNumber && value.values.length === 0;
  const min = isFree && draft.random.chance(0.4) ? draft.random.below(10) : undefined;
  const max = isFree && draft.random.chance(0.4) ? 10 + draft.random.below(10) : undefined;
  const given = draft.random.chance(0.4) ? defaultOf(draft.random, value.type, value.values) : undefined;
  draft.expectValue([...path, "default"], given?.read);
  return [
    ["min", min],
    ["max", max],
    ["default", given?.written],
  ];
}

export function input(draft: ManifestDraft, kind: "argument" | "parameter", path: readonly string[]): Tree {
  const value = typed(draft, VALUE_TYPES, path, false);
  const isRequired = draft.maybe(0.4, () => draft.random.chance(0.5));
  draft.expectValue([...path, "required"], isRequired ?? false);
  return draft.site(kind, path, [
    ["display_name", draft.words()],
    ["description", draft.maybe(0.3, draft.words)],
    ["required", isRequired],
    ["type", value.type],
    ["enum", value.enum],
    [
      "format",
      value.type === "string" ? draft.maybe(0.2, () => draft.random.pick(["date-time", "uri", "email"])) : undefined,
    ],
    ["sensitive", draft.maybe(0.2, () => draft.random.chance(0.5))],
    ...limits(draft, value, path),
    [
      "json_schema",
      kind === "argument" && value.type === "json" ? draft.maybe(0.5, () => '{"type": "array"}') : undefined,
    ],
    ["unit", kind === "argument" ? draft.maybe(0.2, () => "kW") : undefined],
  ]);
}

export function response(draft: ManifestDraft, path: readonly string[]): Tree {
  const value = typed(draft, VALUE_TYPES, path, false);
  return draft.site("response", path, [
    ["display_name", draft.maybe(0.5, draft.words)],
    ["type", value.type],
    ["required", draft.maybe(0.3, () => true)],
    ["enum", value.enum],
  ]);
}
