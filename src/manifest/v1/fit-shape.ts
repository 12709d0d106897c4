// device/1.0 tolerates what device/3.0 refuses: keys that do not exist, numbers for texts, a text for a list. This makes
// a node fit a shape of device/3.0 as far as the meaning stays the same, and notes the rest.
import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { ObjectShape, Shape } from "#core/blueprint/shape.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { flagOf } from "#manifest/read-scalar.ts";
import { type Conversion, keyOf, note, removePair, renamePair, resolved, textOf } from "./conversion.ts";

type Path = readonly string[];

/** What is done to an object before it is made to fit, by what it is. */
type Prepare = (conversion: Conversion, map: YAMLMap, place: Place) => void;

export interface Place {
  readonly what: string;
  readonly path: Path;
}

export interface Fitting {
  readonly conversion: Conversion;
  readonly prepare: Prepare;
  /** Shared by aliases, so each is fitted once. */
  readonly done: Set<unknown>;
}

/** False when there is nothing left of it. */
export function fitShape(fitting: Fitting, shape: Shape, pair: Pair, path: Path): boolean {
  const node = resolved(fitting.conversion, pair.value);
  if (node === undefined) return false;
  if (fitting.done.has(node)) return true;
  if (typeof node === "object") fitting.done.add(node);
  switch (shape.kind) {
    case "text":
      if (isScalar(node)) fitText(fitting.conversion, node, path);
      break;
    case "flag":
      if (isScalar(node) && typeof node.value !== "boolean") setScalar(node, flagOf(textOf(node)));
      break;
    case "number":
      if (isScalar(node) && typeof node.value === "string") setScalar(node, numberOf(node.value));
      break;
    case "list":
      fitList(fitting, pair, path);
      break;
    case "object":
      if (isMap(node)) fitObject(fitting, shape, node, path);
      break;
    case "map":
      if (isMap(node)) fitEntries(fitting, shape.value, node, path);
      break;
    case "enum":
      if (isMap(node)) fitEntries(fitting, shape.item, node, path);
      else if (isSeq(node)) for (const item of node.items) fitEnumItem(item);
      break;
    case "scalar":
      break;
  }
  return true;
}

function fitText(conversion: Conversion, node: Scalar, path: Path): void {
  if (typeof node.value === "string") return;
  const text = textOf(node);
  setScalar(node, text);
  node.type = "QUOTE_DOUBLE";
  note(conversion, "changed", path, `${text} is written as a text.`);
}

function fitList({ conversion }: Fitting, pair: Pair, path: Path): void {
  const node = resolved(conversion, pair.value);
  if (isScalar(node)) {
    pair.value = conversion.document.createNode([textOf(node)]);
    note(conversion, "changed", path, "It is a list with one item.");
  } else if (isSeq(node)) {
    for (const item of textsIn(conversion, node)) if (typeof item.value !== "string") setScalar(item, textOf(item));
  }
}

function textsIn(conversion: Conversion, list: YAMLSeq): readonly Scalar[] {
  return list.items.map((item) => resolved(conversion, item)).filter((item) => isScalar(item));
}

/** `true` and `false` in a list of values are texts. */
function fitEnumItem(item: unknown): void {
  if (isScalar(item) && typeof item.value === "boolean") setScalar(item, textOf(item));
}

function fitEntries(fitting: Fitting, shape: ObjectShape, map: YAMLMap, path: Path): void {
  for (const pair of [...map.items]) {
    const key = keyOf(pair);
    if (key.startsWith(".")) continue;
    const node = resolved(fitting.conversion, pair.value);
    if (node === undefined) pair.value = fitting.conversion.document.createNode({});
    const entry = resolved(fitting.conversion, pair.value);
    if (isMap(entry) && !fitting.done.has(entry)) {
      fitting.done.add(entry);
      fitObject(fitting, shape, entry, [...path, key]);
    }
  }
}

function fitObject(fitting: Fitting, shape: ObjectShape, map: YAMLMap, path: Path): void {
  const { conversion } = fitting;
  fitting.prepare(conversion, map, { what: shape.what, path });
  for (const pair of [...map.items]) {
    const key = keyOf(pair);
    // Dot-keys carry no meaning, and what is merged in is fitted where it stands.
    if (key.startsWith(".") || key === "<<") continue;
    const name = shape.byName.has(key) ? key : meantKey(shape, map, key);
    if (name === undefined) {
      removePair(map, pair);
      note(conversion, "dropped", [...path, key], `device/3.0 has no ${key} of a ${shape.what}.`);
      continue;
    }
    if (name !== key) {
      renamePair(pair, name);
      note(conversion, "changed", [...path, key], `${key} is ${name}.`);
    }
    const field = shape.byName.get(name);
    if (field && !fitShape(fitting, field.shape, pair, [...path, name])) {
      removePair(map, pair);
      note(conversion, "dropped", [...path, key], `${key} is empty.`);
    }
  }
}

/** A key that is only misspelt. Short ones are too easily near something else. */
function meantKey(shape: ObjectShape, map: YAMLMap, key: string): string | undefined {
  const free = [...shape.byName.keys()].filter((name) => !map.has(name));
  return key.length < 5 ? undefined : nearestOf(key, free);
}

function setScalar(node: Scalar, value: unknown): void {
  if (value === undefined) return;
  node.value = value;
  delete node.source;
  delete node.format;
}

function numberOf(text: string): number | undefined {
  return /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
}
