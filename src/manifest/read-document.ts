import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar } from "yaml";
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
      message: `The ${reporter.what} is larger than 256 KiB. Shorten it.`,
    });
    return undefined;
  }
  try {
    const contents = composeYaml(reporter);
    return contents && treeOf({ builder: createTreeBuilder(), text: reporter.text }, contents);
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

interface Conversion {
  readonly builder: TreeBuilder;
  readonly text: string;
}

function treeOf(conversion: Conversion, yaml: ParsedNode | null): Node {
  const { builder } = conversion;
  if (yaml === null) return { kind: "scalar", value: null, text: "", start: 0, end: 0 };
  const [start, end] = yaml.range;
  if (isAlias(yaml)) return builder.alias(yaml.source, start, end);
  const node = withoutName(conversion, yaml);
  if (yaml.anchor) builder.anchor(yaml.anchor, node);
  return node;
}

function withoutName(conversion: Conversion, yaml: ParsedNode): Node {
  const { builder } = conversion;
  const [start, end] = yaml.range;
  if (isMap<ParsedNode, ParsedNode | null>(yaml)) {
    const pairs = yaml.items.map(({ key, value }) => ({
      key: treeOf(conversion, key),
      value: treeOf(conversion, value),
    }));
    return builder.map(pairs, start, end);
  }
  if (isSeq<ParsedNode>(yaml)) {
    return builder.list(
      yaml.items.map((item) => treeOf(conversion, item)),
      start,
      end,
    );
  }
  if (!isScalar(yaml)) throw new TypeError("unknown kind of YAML node");
  return scalarOf(conversion, yaml);
}

function scalarOf(conversion: Conversion, { value, source, range, type }: Scalar.Parsed): Node {
  const [start] = range;
  const isBlock = type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED";
  const end = isBlock ? contentEnd(conversion.text, start, range[1]) : range[1];
  const text = source ?? String(value ?? "");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return { kind: "scalar", value, text, start, end };
  }
  return { kind: "scalar", value: null, text, start, end };
}

/** The end of a block text without the space and the blank lines after it. */
function contentEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && " \n\r".includes(text.charAt(last - 1))) last -= 1;
  return last;
}
