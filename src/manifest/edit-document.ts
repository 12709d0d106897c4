// Changes of a YAML document that leave the rest of its text alone, comments too: what a form writes into a text that people wrote.
import { type Document, isCollection, isMap, isScalar, isSeq, type Node, parseDocument, YAMLSeq } from "yaml";

/** What is undefined is removed. An index makes a list of one thing that stands for it; one at its end adds an item. */
export interface DocumentEdit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** What is shorter stays on one line. */
const LONGEST_LINE = 110;

/** The text must be a document without errors, as `readPlainDocument` finds it. */
export function editDocument(text: string, edits: readonly DocumentEdit[]): string {
  const document = parseDocument(text, { version: "1.2", schema: "core" });
  for (const edit of edits) apply(document, edit);
  return document.toString({ lineWidth: 0 });
}

function apply(document: Document, { path, value }: DocumentEdit): void {
  makeLists(document, path);
  if (value === undefined) {
    document.deleteIn(path);
    return;
  }
  const known = document.getIn(path, true);
  if (isScalar(known) && (typeof value !== "object" || value === null)) {
    // It keeps its comment and, but for those of an empty text, its quotes. How its digits were written belongs to the number before.
    if (known.value === "") delete known.type;
    known.value = value;
    delete known.format;
    delete known.minFractionDigits;
    return;
  }
  const made = document.createNode(value);
  fold(made);
  const parent = document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isSeq(parent) && typeof last === "number" && last >= parent.items.length) parent.add(made);
  else document.setIn(path, made);
}

function makeLists(document: Document, path: readonly (string | number)[]): void {
  for (const [index, step] of path.entries()) {
    if (typeof step !== "number") continue;
    const above = path.slice(0, index);
    const node = document.getIn(above, true);
    if (isSeq(node)) continue;
    const list = new YAMLSeq();
    if (node !== undefined) list.items.push(node);
    document.setIn(above, list);
  }
}

/** Small objects are written in braces, as people write conditions. */
function fold(node: unknown): void {
  if (isSeq(node)) for (const item of node.items) fold(item);
  if (!isMap(node)) return;
  const isFlat = node.items.every(({ value }) => !isCollection(value) || value.items.every((one) => isScalar(one)));
  node.flow = isFlat && JSON.stringify(node).length <= LONGEST_LINE;
  if (!node.flow) for (const { value } of node.items) fold(value as Node);
}
