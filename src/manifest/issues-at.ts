import type { Issue } from "#core/blueprint/issue.ts";
import { readDocument } from "./read-document.ts";
import { createReporter, type Finding } from "./reporter.ts";
import { follow, rootTrail } from "./tree.ts";

export interface PlacedFinding extends Finding {
  /** Keys and indexes from the document down to the value. */
  readonly at: readonly (string | number)[];
}

/** Issues for what was found outside the parser, with the positions that the parser would give them. */
export function issuesAt(text: string, findings: readonly PlacedFinding[]): readonly Issue[] {
  if (findings.length === 0) return [];
  const reporter = createReporter(text);
  const document = readDocument(reporter);
  if (document === undefined) return reporter.issues();
  const root = rootTrail(document);
  for (const { at, ...finding } of findings) reporter.atValue(follow(root, at), finding);
  return reporter.issues();
}
