import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from "yaml";
import { composeYaml } from "./compose-yaml.ts";
import type { Reporter } from "./reporter.ts";
import type { Node } from "./tree.ts";
import { createTreeBuilder, type TreeBuilder } from "./tree-builder.ts";

const MOST_BYTES = 256 * 1024;

/** Text to tree. Reports what is no document and returns undefined then; never throws. */
export function readDocument(reporter: Reporter): Node | undefined {
  if (isTooLarge(reporter.text)) {
    reporter.atOffset(0, 0, {
      code: "document_too_large",
      message: "The manifest is larger than 256 KiB. Shorten it.",
    });
    return undefined;
  }
  try {
    const contents = composeYaml(reporter);
    return contents && treeOf(createTreeBuilder(), contents);
  } catch {
    reporter.atOffset(0, 0, { code: "yaml_syntax", message: "The text cannot be read as YAML or JSON." });
    return undefined;
  }
}

function isTooLarge(text: string): boolean {
  // A UTF-16 unit takes one to three bytes, so most texts need not be counted.
  if (text.length > MOST_BYTES) return true;
  return text.length * 3 > MOST_BYTES && new TextEncoder().encode(text).length > MOST_BYTES;
}

function treeOf(builder: TreeBuilder, yaml: ParsedNode | null): Node {
  if (yaml === null) return { kind: "scalar", value: null, text: "", start: 0, end: 0 };
  const [start, end] = yaml.range;
  if (isAlias(yaml)) return builder.alias(yaml.source, start, end);
  const node = withoutName(builder, yaml);
  if (yaml.anchor) builder.anchor(yaml.anchor, node);
  return node;
}

function withoutName(builder: TreeBuilder, yaml: ParsedNode): Node {
  const [start, end] = yaml.range;
  if (isMap<ParsedNode, ParsedNode | null>(yaml)) {
    const pairs = yaml.items.map(({ key, value }) => ({ key: treeOf(builder, key), value: treeOf(builder, value) }));
    return builder.map(pairs, start, end);
  }
  if (isSeq<ParsedNode>(yaml)) {
    return builder.list(
      yaml.items.map((item) => treeOf(builder, item)),
      start,
      end,
    );
  }
  if (!isScalar(yaml)) throw new TypeError("unknown kind of YAML node");
  const { value, source } = yaml;
  const text = source ?? String(value ?? "");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return { kind: "scalar", value, text, start, end };
  }
  return { kind: "scalar", value: null, text, start, end };
}
