import type { Fix } from "#core/blueprint/issue.ts";
import type { Entry, Node } from "./tree.ts";

/** Words that YAML, old or new, would not read as a text. */
const NOT_PLAIN = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;
const PLAIN = /^[A-Za-z][\w./-]*$/;

/** `value` as a YAML text, quoted where needed and where `like`, the text that it replaces, was quoted. */
export function quoteLike(value: string, like: string): string {
  if (like.startsWith("'") && !value.includes("'")) return `'${value}'`;
  return !like.startsWith('"') && PLAIN.test(value) && !NOT_PLAIN.test(value) ? value : JSON.stringify(value);
}

export function renameKey(text: string, entry: Entry, name: string): Fix {
  const { keyStart: start, keyEnd: end } = entry;
  return {
    title: `Rename to ${name}`,
    edits: [{ start, end, text: quoteLike(name, text.slice(start, end)) }],
  };
}

export function replaceText(text: string, node: Node, value: string): Fix {
  const { start, end } = node;
  return {
    title: `Change to ${value}`,
    edits: [{ start, end, text: quoteLike(value, text.slice(start, end)) }],
  };
}

/** `source` goes into the text as it is: a number, a boolean, or a text already quoted. */
export function replaceSource(node: Node, source: string): Fix {
  return { title: `Change to ${source}`, edits: [{ start: node.start, end: node.end, text: source }] };
}

/** An ID as people would write it: `grid_power` is Grid Power. */
export function titleOf(id: string): string {
  const words = id.split(/[_-]+/).filter((word) => word !== "");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(" ");
}
