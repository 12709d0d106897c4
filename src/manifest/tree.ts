import type { IssueCode } from "#core/blueprint/issue.ts";

/**
 * A document as the rules see it: plain values with their place in the text. No trace of YAML is left: aliases and merge
 * keys are followed, keys are texts, dot-keys stand apart. Offsets count UTF-16 units.
 */
export type Node = ScalarNode | ListNode | MapNode | BrokenNode;

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode extends Span {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The text before YAML gave it a type: `1.0` is the number 1 and the text `1.0`. */
  readonly text: string;
}

interface ListNode extends Span {
  readonly kind: "list";
  readonly items: readonly Node[];
  /** How many values it holds, counting those behind an alias each time. */
  readonly size: number;
}

export interface MapNode extends Span {
  readonly kind: "map";
  /** No two have the same key. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** What was wrong with its keys; the reader of the map reports it. */
  readonly problems: readonly NodeProblem[];
  readonly size: number;
  /** The key `.busbar`, which other readers of manifests pass over. */
  readonly extension: Entry | undefined;
  /** Dot-keys, which carry no meaning, `.busbar` among them. */
  readonly freeEntries: ReadonlyMap<string, Entry>;
}

/** Stands where no value could be read. */
interface BrokenNode extends Span {
  readonly kind: "broken";
  readonly problem: NodeProblem;
}

export interface NodeProblem extends Span {
  readonly code: IssueCode;
  readonly message: string;
}

export interface Entry {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: Node;
}

/** The way from the document to a node. */
export interface Trail {
  readonly parent: Trail | undefined;
  readonly step: string | number;
  readonly node: Node;
  /** The position of the key; undefined for list items and the document. */
  readonly entry: Entry | undefined;
}

export function rootTrail(node: Node): Trail {
  return { parent: undefined, step: "", node, entry: undefined };
}

export function entryTrail(parent: Trail, entry: Entry): Trail {
  return { parent, step: entry.key, node: entry.value, entry };
}

export function itemTrail(parent: Trail, index: number, node: Node): Trail {
  return { parent, step: index, node, entry: undefined };
}

export const hasKey = ({ node }: Trail, key: string): boolean => node.kind === "map" && node.entries.has(key);

/** The node that `path` leads to, or the last one on the way that exists. */
export function follow(root: Trail, path: readonly (string | number)[]): Trail {
  let trail = root;
  for (const step of path) {
    const next = stepInto(trail, step);
    if (next === undefined) return trail;
    trail = next;
  }
  return trail;
}

function stepInto(trail: Trail, step: string | number): Trail | undefined {
  const { node } = trail;
  if (node.kind === "map") {
    const entry = node.entries.get(String(step));
    return entry && entryTrail(trail, entry);
  }
  // A single text is read as a list with one item: its first item is the text itself.
  if (node.kind === "scalar") return step === 0 ? trail : undefined;
  if (node.kind !== "list" || typeof step !== "number") return undefined;
  const item = node.items[step];
  return item && itemTrail(trail, step, item);
}

/** JSON pointer of a trail. */
export function pointer(trail: Trail): string {
  return trail.parent === undefined ? "" : `${pointer(trail.parent)}/${escapeStep(String(trail.step))}`;
}

const escapeStep = (step: string): string => step.replaceAll("~", "~0").replaceAll("/", "~1");
