import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { PackageIssue } from "#core/blueprint/package-issue.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { issuesAt } from "#manifest/issues-at.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import type { Node } from "#manifest/tree.ts";
import { compileSchemas } from "./compile-schemas.ts";
import { type Package, type Unpacked, unpackPackage } from "./unpack-package.ts";

export type CheckedPackage = {
  /** Undefined when it could not be unpacked, or has no manifest. */
  readonly package: Package | undefined;
  /** Undefined exactly when there is an error among the issues. */
  readonly blueprint: Blueprint | undefined;
  /** The manifest as a tree. Undefined when its text cannot be read. */
  readonly document: Node | undefined;
  readonly issues: readonly (Issue | PackageIssue)[];
};

/** All checks of an upload, hostile or not: unpacked, parsed, its schemas compiled. Never throws. */
export function checkPackage(bytes: Uint8Array, profiles?: ProfileLibrary): CheckedPackage {
  return checkUnpacked(unpackPackage(bytes), profiles);
}

/** The same for a package that is already in memory, for example a folder read by the command line. */
export function checkUnpacked({ package: unpacked, issues }: Unpacked, profiles?: ProfileLibrary): CheckedPackage {
  if (unpacked === undefined) return { package: undefined, blueprint: undefined, document: undefined, issues };
  const parsed = parseManifest(unpacked.manifest, {
    ...(unpacked.kind === "manifest" ? {} : { files: filesOf(unpacked) }),
    ...(profiles === undefined ? {} : { profiles }),
  });
  if (parsed.blueprint === undefined) return { package: unpacked, ...parsed };
  const findings = compileSchemas(parsed.blueprint).problems.map((problem) => ({
    ...problem,
    code: "bad_json_schema" as const,
  }));
  if (findings.length === 0) return { package: unpacked, ...parsed };
  return {
    package: unpacked,
    blueprint: undefined,
    document: parsed.document,
    issues: [...parsed.issues, ...issuesAt(unpacked.manifest, findings)],
  };
}

function filesOf({ files }: Package) {
  return {
    has: (path: string) => files.has(path),
    read: (path: string) => {
      const content = files.get(path);
      return content === undefined ? undefined : decodeText(content);
    },
  };
}
