import type { Document, Pair, Scalar, YAMLMap } from "yaml";
import { isMap, isScalar } from "yaml";

/**
 * `changed`: said in another way. `dropped`: there is no form for it in device/3.0. `decide`: a person has to, and the
 * package may not work before.
 */
export interface ConversionNote {
  readonly kind: "changed" | "dropped" | "decide";
  /** JSON pointer into the old manifest, or the path of another file. */
  readonly path: string;
  readonly message: string;
}

type Path = readonly (string | number)[];

/** A conversion under way: the document, which is changed in place, and what there is to say about it. */
export interface Conversion {
  readonly document: Document;
  readonly notes: ConversionNote[];
  /** Units that 3.0 does not know, by their code; they are declared in `units`. */
  readonly units: Set<string>;
}

export function note(conversion: Conversion, kind: ConversionNote["kind"], path: Path, message: string): void {
  const pointer = path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  conversion.notes.push({ kind, path: pointer, message });
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** The value under a key with aliases followed; undefined where there is none or it is empty. */
export function valueAt(conversion: Conversion, map: YAMLMap, key: string): unknown {
  return resolved(conversion, map.get(key, true));
}

export function resolved({ document }: Conversion, node: unknown): unknown {
  const isAlias = typeof node === "object" && node !== null && "source" in node && "resolve" in node;
  const found = isAlias ? (node as { resolve(within: Document): unknown }).resolve(document) : node;
  return found === null || (isScalar(found) && found.value === null) ? undefined : found;
}

export function mapAt(conversion: Conversion, map: YAMLMap, key: string): YAMLMap | undefined {
  const value = valueAt(conversion, map, key);
  return isMap(value) ? value : undefined;
}

export function textAt(conversion: Conversion, map: YAMLMap, key: string): string | undefined {
  const value = valueAt(conversion, map, key);
  return isScalar(value) ? textOf(value) : undefined;
}

/** As it is written: `007` stays `007`. */
export function textOf(scalar: Scalar): string {
  return typeof scalar.value === "string" ? scalar.value : (scalar.source ?? String(scalar.value));
}

/** Gives a pair another name where it stands, comments and all. */
export function renamePair(pair: Pair, name: string): void {
  if (isScalar(pair.key)) pair.key.value = name;
  else pair.key = name;
}

export function removePair(map: YAMLMap, pair: Pair): void {
  const at = map.items.indexOf(pair);
  if (at >= 0) map.items.splice(at, 1);
}
