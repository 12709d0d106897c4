import type { Draft, EnumShape, ListShape, MapShape, ObjectShape, RawEnumItem, Shape } from "#core/blueprint/shape.ts";
import { missingKey, reportEmpty, reportUnknownKey } from "./check-keys.ts";
import { replaceSource } from "./edits.ts";
import { readFlag, readNumber, readRaw, readText, wrongType } from "./read-scalar.ts";
import type { Reporter } from "./reporter.ts";
import { entryTrail, itemTrail, type MapNode, type Trail } from "./tree.ts";
import { quote } from "./words.ts";

/**
 * Reads a tree by a shape and reports every place where it does not fit. What does not fit is left out of the draft; a map
 * keeps an entry for every key of the document, so that a broken declaration still counts as declared.
 */
export function checkShape<S extends ObjectShape>(reporter: Reporter, shape: S, root: Trail): Draft<S> {
  // The draft is put together by the shape, from which its type is derived.
  return (read(reporter, shape, root) ?? {}) as Draft<S>;
}

function read(reporter: Reporter, shape: Shape, trail: Trail): unknown {
  const { node } = trail;
  if (node.kind === "broken") {
    reporter.atSpan(trail, node.problem);
    return undefined;
  }
  if (node.kind === "scalar" && node.value === null) return reportEmpty(reporter, shape, trail);
  switch (shape.kind) {
    case "text":
      return readText(reporter, shape, trail);
    case "flag":
      return readFlag(reporter, trail);
    case "number":
      return readNumber(reporter, trail);
    case "scalar":
      return readRaw(reporter, trail);
    case "list":
      return readList(reporter, shape, trail);
    case "object":
      return readObject(reporter, shape, trail);
    case "map":
      return readMap(reporter, shape, trail);
    case "enum":
      return readEnum(reporter, shape, trail);
  }
}

function readList(reporter: Reporter, shape: ListShape, trail: Trail): readonly unknown[] | undefined {
  const { node } = trail;
  if (node.kind === "list") {
    return node.items.map((item, index) => read(reporter, shape.item, itemTrail(trail, index, item)));
  }
  if (shape.orOne) {
    if (node.kind === "scalar") return [readText(reporter, shape.item, trail)];
    return wrongType(reporter, trail, { wanted: "a text or a list of texts" });
  }
  const source = reporter.text.slice(node.start, node.end);
  const fix = node.kind !== "scalar" || /[\n,[\]{}]/.test(source) ? undefined : replaceSource(node, `[${source}]`);
  return wrongType(reporter, trail, { wanted: "a list", hint: "Put it in brackets.", fix });
}

function readObject(reporter: Reporter, shape: ObjectShape, trail: Trail): Record<string, unknown> | undefined {
  const { node } = trail;
  if (node.kind !== "map") return wrongType(reporter, trail, { wanted: "an object, with keys below it" });
  reportProblems(reporter, node, trail);
  const draft: Record<string, unknown> = {};
  for (const entry of node.entries.values()) {
    const field = shape.byName.get(entry.key);
    if (field) draft[field.property] = read(reporter, field.shape, entryTrail(trail, entry));
    else reportUnknownKey(reporter, shape, entryTrail(trail, entry));
  }
  for (const [name, field] of shape.byName) {
    if (field.required && !node.entries.has(name)) missingKey(reporter, shape, { name, trail, map: node });
  }
  return draft;
}

function readMap(reporter: Reporter, shape: MapShape, trail: Trail): ReadonlyMap<string, unknown> | undefined {
  const { node } = trail;
  if (node.kind !== "map")
    return wrongType(reporter, trail, { wanted: `an object, with a key for each ${shape.keys}` });
  reportProblems(reporter, node, trail);
  const draft = new Map<string, unknown>();
  for (const entry of node.entries.values()) {
    const inner = entryTrail(trail, entry);
    if (shape.pattern && !shape.pattern.regex.test(entry.key)) {
      const message = `${quote(entry.key)} cannot be a ${shape.keys}. It is made of ${shape.pattern.words}.`;
      reporter.atKey(inner, { code: "bad_id", message });
    }
    draft.set(entry.key, read(reporter, shape.value, inner) ?? {});
  }
  return draft;
}

function readEnum(reporter: Reporter, shape: EnumShape, trail: Trail): readonly RawEnumItem<unknown>[] | undefined {
  const { node } = trail;
  if (node.kind === "list") {
    const items: RawEnumItem<unknown>[] = [];
    for (const [step, item] of node.items.entries()) {
      const inner = itemTrail(trail, step, item);
      if (item.kind === "scalar" && (typeof item.value === "string" || Number.isFinite(item.value))) {
        items.push({ raw: { value: item.value ?? "", text: item.text }, step, item: undefined });
      } else if (item.kind === "broken") reporter.atSpan(inner, item.problem);
      else wrongType(reporter, inner, { wanted: "a text or a finite number", ...quotedFlag(inner) });
    }
    return items;
  }
  if (node.kind !== "map") {
    return wrongType(reporter, trail, { wanted: "a list of values, or an object whose keys are the values" });
  }
  reportProblems(reporter, node, trail);
  return [...node.entries.values()].map((entry) => ({
    raw: { value: entry.key, text: entry.key },
    step: entry.key,
    item: read(reporter, shape.item, entryTrail(trail, entry)),
  }));
}

/** `true` in a list of texts was most likely meant as a text. */
function quotedFlag({ node }: Trail) {
  if (node.kind !== "scalar" || typeof node.value !== "boolean") return {};
  return { hint: "Put it in quotes.", fix: replaceSource(node, JSON.stringify(node.text)) };
}

function reportProblems(reporter: Reporter, node: MapNode, trail: Trail): void {
  for (const problem of node.problems) reporter.atSpan(trail, problem);
}
