import type { Entry, MapNode, Node, NodeProblem } from "./tree.ts";

/**
 * How many values in total may be repeated through aliases and merge keys: a small text must not unfold into a huge
 * one.
 */
const MOST_REPEATS = 20_000;
/** Limit for one object or list. A meaningful manifest of the largest size has fewer. */
const MOST_ENTRIES = 10_000;
const FREE_KEY = /^\.\w*$/;
const EXTENSION_KEY = ".busbar";
const MERGE_KEY = "<<";
const NO_PROBLEMS: readonly NodeProblem[] = [];
const NO_ENTRIES: ReadonlyMap<string, Entry> = new Map();

interface Pair {
  readonly key: Node;
  readonly value: Node;
}

/** Puts nodes together from the inside out, the same way for every reader of text. */
export interface TreeBuilder {
  list(items: readonly Node[], start: number, end: number): Node;
  map(pairs: readonly Pair[], start: number, end: number): Node;
  /** Names a node. The name is known from here on, so a node cannot contain itself. */
  anchor(name: string, node: Node): void;
  alias(name: string, start: number, end: number): Node;
}

export function createTreeBuilder(): TreeBuilder {
  const anchors = new Map<string, Node>();
  let repeats = 0;
  return {
    list: (items, start, end) =>
      items.length > MOST_ENTRIES ? tooMany(start, end) : { kind: "list", items, start, end, size: sum(items) },
    map: (pairs, start, end) => (pairs.length > MOST_ENTRIES ? tooMany(start, end) : buildMap(pairs, start, end)),
    anchor: (name, node) => anchors.set(name, node),
    alias: (name, start, end) => {
      const node = anchors.get(name);
      if (node === undefined) {
        const message = `There is no anchor &${name} above this alias.`;
        return broken({ code: "unknown_anchor", message, start, end });
      }
      repeats += sizeOf(node);
      if (repeats > MOST_REPEATS) {
        const message = "The aliases repeat too much. Write the values out, or share less.";
        return broken({ code: "document_too_complex", message, start, end });
      }
      return node;
    },
  };
}

function tooMany(start: number, end: number): Node {
  const message = `An object or list with more than ${MOST_ENTRIES} entries. Shorten it.`;
  return { ...broken({ code: "document_too_complex", message, start, end: start + 1 }), end };
}

function broken(problem: NodeProblem): Node {
  return { kind: "broken", problem, start: problem.start, end: problem.end };
}

function buildMap(pairs: readonly Pair[], start: number, end: number): MapNode {
  const entries = new Map<string, Entry>();
  const problems: NodeProblem[] = [];
  let merged: Node | undefined;
  let free: Map<string, Entry> | undefined;
  let size = 1;
  for (const { key, value } of pairs) {
    const name = keyText(key);
    if (name === undefined) {
      const message = "A key must be a text. Write a name before the colon.";
      problems.push({ code: "key_not_text", message, start: key.start, end: key.end });
    } else if (FREE_KEY.test(name)) {
      // Carries no meaning, whatever it holds, unless it is our own. Its values count, too: an alias repeats them.
      free ??= new Map();
      free.set(name, { key: name, keyStart: key.start, keyEnd: key.end, value });
      size += sizeOf(value);
    } else if (entries.has(name) || (name === MERGE_KEY && merged)) {
      const message = `${name} is given twice. Keep one of the two.`;
      problems.push({ code: "duplicate_key", message, start: key.start, end: key.end });
    } else if (name === MERGE_KEY) {
      merged = value;
    } else {
      entries.set(name, { key: name, keyStart: key.start, keyEnd: key.end, value });
      size += sizeOf(value);
    }
  }
  if (merged) size += mergeInto(entries, merged, problems);
  const extension = free?.get(EXTENSION_KEY);
  const freeEntries = free ?? NO_ENTRIES;
  const found = problems.length > 0 ? problems : NO_PROBLEMS;
  return { kind: "map", entries, extension, freeEntries, problems: found, start, end, size };
}

/**
 * What the map says itself counts more than what is merged into it, and earlier sources more than later ones.
 * Returns how many values came in.
 */
function mergeInto(entries: Map<string, Entry>, source: Node, problems: NodeProblem[]): number {
  let size = 0;
  for (const node of source.kind === "list" ? source.items : [source]) {
    if (node.kind === "map") {
      for (const [name, entry] of node.entries) {
        if (entries.has(name)) continue;
        entries.set(name, entry);
        size += sizeOf(entry.value);
      }
    } else if (node.kind === "broken") {
      problems.push(node.problem);
    } else {
      const message = "<< merges objects: name an anchor of an object, as in <<: *base.";
      problems.push({ code: "bad_merge", message, start: node.start, end: node.end });
    }
  }
  return size;
}

function keyText(key: Node): string | undefined {
  return key.kind === "scalar" && (key.value !== null || key.text !== "") ? key.text : undefined;
}

const sizeOf = (node: Node): number => (node.kind === "list" || node.kind === "map" ? node.size : 1);
const sum = (nodes: readonly Node[]): number => nodes.reduce((total, node) => total + sizeOf(node), 1);
