import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { manifestJson } from "#manifest/manifest-json.ts";
import { checkPackage } from "#service/blueprint/check-package.ts";

/** The result of checking an upload; plain values only, so that it can cross a thread. */
export interface Inspection {
  /** Everything that is wrong, warnings included. */
  readonly issues: readonly AnyIssue[];
  /** Undefined exactly when there is an error among the issues. */
  readonly found: { readonly blueprint: Blueprint; readonly manifest: Readonly<Record<string, unknown>> } | undefined;
}

/** Turns uploaded bytes (a zip, or a bare manifest as YAML or JSON) into a blueprint. Never throws. */
export function inspectPackage(bytes: Uint8Array, profiles: ProfileLibrary): Inspection {
  const { package: unpacked, blueprint, issues } = checkPackage(bytes, profiles);
  if (unpacked === undefined || blueprint === undefined) return { issues, found: undefined };
  return { issues, found: { blueprint, manifest: manifestJson(unpacked.manifest) } };
}
