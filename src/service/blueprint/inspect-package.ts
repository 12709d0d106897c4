import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { PackageIssue } from "#core/blueprint/package-issue.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { manifestJson } from "#manifest/manifest-json.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { decodeText, type Package, unpackPackage } from "#service/blueprint/unpack-package.ts";

export interface Inspection {
  /** Everything that is wrong with the package or its manifest, warnings included. */
  readonly issues: readonly (Issue | PackageIssue)[];
  /** Undefined exactly when there is an error among the issues. */
  readonly found: { readonly blueprint: Blueprint; readonly manifest: Readonly<Record<string, unknown>> } | undefined;
}

/** Bytes as uploaded (a zip, or a bare manifest as YAML or JSON) to a blueprint. Never throws. */
export function inspectPackage(bytes: Uint8Array, profiles: ProfileLibrary): Inspection {
  const { package: unpacked, issues } = unpackPackage(bytes);
  if (unpacked === undefined) return { issues, found: undefined };
  const files = unpacked.kind === "manifest" ? {} : { files: filesOf(unpacked) };
  const parsed = parseManifest(unpacked.manifest, { ...files, profiles });
  if (parsed.blueprint === undefined) return { issues: parsed.issues, found: undefined };
  return {
    issues: parsed.issues,
    found: { blueprint: parsed.blueprint, manifest: manifestJson(unpacked.manifest) },
  };
}

function filesOf({ files }: Package): { has(path: string): boolean; read(path: string): string | undefined } {
  return {
    has: (path) => files.has(path) || [...files.keys()].some((file) => file.startsWith(`${path}/`)),
    read: (path) => {
      const content = files.get(path);
      return content && decodeText(content);
    },
  };
}
