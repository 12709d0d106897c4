import type { MANIFEST } from "#core/blueprint/schema.ts";
import type { Draft } from "#core/blueprint/shape.ts";
import type { ManifestContext } from "./manifest-context.ts";
import type { Finding, Reporter } from "./reporter.ts";
import { follow, type Trail } from "./tree.ts";

type ManifestDraft = Draft<typeof MANIFEST>;
export type Path = readonly (string | number)[];

/** What a rule between fields works on. A rule judges what it can read and says nothing about what is absent or broken. */
export interface Checked {
  readonly draft: ManifestDraft;
  readonly context: ManifestContext;
  readonly reporter: Reporter;
  readonly root: Trail;
}

export function reportAt({ reporter, root }: Checked, path: Path, finding: Finding): void {
  if (!reporter.skips(finding.code)) reporter.atValue(follow(root, path), finding);
}

/** Whether the document has this key, even with a value that could not be read. */
export function declares({ root }: Checked, key: string): boolean {
  return root.node.kind === "map" && root.node.entries.has(key);
}
