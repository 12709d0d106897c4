// Writes plain data as YAML that people like to read: what fits stands on one line, and the rest is indented.
import type { RuleDocument, RuleNode } from "./controller.ts";

const WIDTH = 110;

export function writeYaml(document: RuleDocument): string {
  return blockOf(document, 0).join("\n").concat("\n");
}

type Entries = readonly (readonly [string, RuleNode])[];

const entriesOf = (node: RuleDocument): Entries =>
  Object.entries(node).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));

const isList = (node: RuleNode): node is readonly RuleNode[] => Array.isArray(node);
const isMap = (node: RuleNode): node is RuleDocument => typeof node === "object" && !isList(node);

/** Lines without their own indent. */
function blockOf(node: RuleDocument, depth: number): readonly string[] {
  return entriesOf(node).flatMap(([key, value]) => {
    const flat = flatOf(value);
    const isShort = key.length + 2 + flat.length + depth * 2 <= WIDTH;
    // Rules read aloud better with one condition or action a line.
    const isLines = isList(value) && value.length > 0 && value.some(isMap);
    if (typeof value !== "object" || (isShort && !isLines)) return [`${key}: ${flat}`];
    return [
      `${key}:`,
      ...indented(isList(value) ? itemsOf(value, depth + 1) : blockOf(value as RuleDocument, depth + 1)),
    ];
  });
}

function itemsOf(list: readonly RuleNode[], depth: number): readonly string[] {
  return list.flatMap((item) => {
    const flat = flatOf(item);
    if (!isMap(item) || flat.length + 2 + depth * 2 <= WIDTH) return [`- ${flat}`];
    const [first = "", ...others] = blockOf(item, depth + 1);
    return [`- ${first}`, ...indented(others)];
  });
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

function flatOf(node: RuleNode): string {
  if (typeof node === "string") return textOf(node);
  if (typeof node !== "object") return String(node);
  if (isList(node)) return `[${node.map(flatOf).join(", ")}]`;
  const inside = entriesOf(node as RuleDocument).map(([key, value]) => `${key}: ${flatOf(value)}`);
  return `{ ${inside.join(", ")} }`;
}

/** Words that YAML reads as something else, and everything with a sign that means something, are quoted as in JSON. */
const PLAIN = /^(?:[A-Za-z][\w.+-]*(?: [\w.+-]+)*|\d+[smhd])$/;
const OTHER = /^(?:true|false|null|yes|no|on|off|y|n|inf|nan)$/i;

const textOf = (text: string): string => (PLAIN.test(text) && !OTHER.test(text) ? text : JSON.stringify(text));
