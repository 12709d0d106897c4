import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { compileManifest } from "#core/blueprint/compile-manifest.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { manifestJson } from "#manifest/manifest-json.ts";
import { checkPackage } from "#service/blueprint/check-package.ts";

/** The result of checking an upload; plain values only, so that it can cross a thread. */
export interface Inspection {
  /** Everything that is wrong, warnings included. */
  readonly issues: readonly AnyIssue[];
  /** Undefined exactly when there is an error among the issues. */
  readonly found: FoundBlueprint | undefined;
}

interface FoundBlueprint {
  readonly blueprint: Blueprint;
  /** As the author wrote it. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** With everything written out, for programs. */
  readonly compiled: Readonly<Record<string, unknown>>;
}

/** Turns uploaded bytes (a zip, or a bare manifest as YAML or JSON) into a blueprint. Never throws. */
export function inspectPackage(bytes: Uint8Array, profiles: ProfileLibrary): Inspection {
  const { blueprint, document, issues } = checkPackage(bytes, profiles);
  if (blueprint === undefined) return { issues, found: undefined };
  const { original, meaning } = manifestJson(document);
  return { issues, found: { blueprint, manifest: original, compiled: compileManifest(meaning, blueprint, profiles) } };
}
