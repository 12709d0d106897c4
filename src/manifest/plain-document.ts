// Documents other than manifests that people write as YAML or JSON, such as interlocks: their value, and where in the text each part
// stands. What they mean is checked by whoever takes the value.
import { stringify } from "yaml";
import type { Issue, Range } from "#core/blueprint/issue.ts";
import { plain } from "./manifest-json.ts";
import { rangeAt } from "./range-at.ts";
import { readDocument } from "./read-document.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import type { Node } from "./tree.ts";

export interface PlainDocument {
  /** Undefined if the text is no document; `issues` then says why. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/** `what`: what the document is called in messages. */
export function readPlainDocument(text: string, what: string): PlainDocument {
  const reporter = createReporter(text, what);
  const root = readDocument(reporter);
  if (root !== undefined) reportKeys(reporter, root);
  const isWrong = root === undefined || reporter.hasErrors();
  return { value: isWrong ? undefined : plain(root, "with dot-keys"), issues: reporter.issues() };
}

/** The place of a JSON pointer; where there is no such part, that of the nearest one above it. */
export function rangeOfPointer(text: string, pointer: string): Range {
  const steps = pointer.split("/").slice(1);
  const plainStep = (step: string) => step.replaceAll("~1", "/").replaceAll("~0", "~");
  return rangeAt(
    text,
    steps.map((step) => (/^\d+$/.test(step) ? Number(step) : plainStep(step))),
  );
}

/** Long texts stay in one line. */
export function writePlainDocument(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

/** Keys that are there twice, and what else is wrong with the keys of a map. */
function reportKeys(reporter: Reporter, node: Node): void {
  if (node.kind === "broken") reporter.atOffset(node.problem.start, node.problem.end, node.problem);
  if (node.kind === "list") for (const item of node.items) reportKeys(reporter, item);
  if (node.kind !== "map") return;
  for (const problem of node.problems) reporter.atOffset(problem.start, problem.end, problem);
  for (const { value } of node.entries.values()) reportKeys(reporter, value);
}
