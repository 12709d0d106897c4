import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import { MANIFEST, OLD_SPEC } from "#core/blueprint/schema.ts";
import { object } from "#core/blueprint/shape.ts";
import { buildBlueprint, type ValidManifest } from "./build-blueprint.ts";
import { checkFiles } from "./check-files.ts";
import { checkNames } from "./check-names.ts";
import { checkProfiles } from "./check-profiles.ts";
import { checkShape } from "./check-shape.ts";
import { checkUnits } from "./check-units.ts";
import { checkValues } from "./check-values.ts";
import { surroundingsOf } from "./control/surroundings.ts";
import type { ManifestContext } from "./manifest-context.ts";
import { readDocument } from "./read-document.ts";
import { readExtension } from "./read-extension.ts";
import { createReporter } from "./reporter.ts";
import { type Node, rootTrail, type Trail } from "./tree.ts";

export interface ParsedManifest {
  /** Undefined exactly when there is an error among the issues. */
  readonly blueprint: Blueprint | undefined;
  /** The text as a tree, for `manifestJson`. Undefined when it is neither YAML nor JSON. */
  readonly document: Node | undefined;
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

const SPEC_ONLY = object("manifest", { blueprint_spec: MANIFEST.fields.blueprint_spec });

function isOldSpec({ node }: Trail): boolean {
  const spec = node.kind === "map" ? node.entries.get("blueprint_spec")?.value : undefined;
  return spec?.kind === "scalar" && spec.text === OLD_SPEC;
}

/** YAML or JSON text to a blueprint. Any text is fine: nothing is thrown. */
export function parseManifest(text: string, context: ManifestContext = {}): ParsedManifest {
  const reporter = createReporter(text);
  const document = readDocument(reporter);
  if (document === undefined) return { blueprint: undefined, document, issues: reporter.issues() };
  const root = rootTrail(document);
  if (isOldSpec(root)) {
    // Everything else would be measured by the wrong language.
    checkShape(reporter, SPEC_ONLY, root);
    const issues = reporter.issues().filter(({ code }) => code === "unknown_spec");
    return { blueprint: undefined, document, issues };
  }
  const draft = checkShape(reporter, MANIFEST, root);
  const checked = { draft, context, reporter, root };
  checkNames(checked);
  checkValues(checked);
  checkUnits(checked);
  checkFiles(checked);
  checkProfiles(checked);
  const extension = readExtension({ reporter, root, around: surroundingsOf(draft) }, context.files);
  // Without errors everything that is required was read.
  const blueprint = reporter.hasErrors() ? undefined : buildBlueprint(draft as ValidManifest, extension, context.files);
  return { blueprint, document, issues: reporter.issues() };
}
