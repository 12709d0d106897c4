import { type PackageIssue, packageIssue } from "#core/blueprint/package-issue.ts";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { readZip } from "./read-zip.ts";
import { looksLikeZip } from "./zip-layout.ts";

export type Package = {
  /** A bare manifest need not come with the files that it names. */
  readonly kind: "zip" | "folder" | "manifest";
  /** Maps a path with / to its content, the manifest included. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly manifestPath: string;
  readonly manifest: string;
};

export type Unpacked = {
  readonly package: Package | undefined;
  /** Each of them refuses the upload. Empty exactly when there is a package. */
  readonly issues: readonly PackageIssue[];
};

/** The name of a manifest; the second one is accepted, too. */
export const MANIFEST_NAMES = ["manifest.yml", "manifest.yaml"];

/** Takes an upload: a zip with its manifest at the root, or a bare manifest as YAML or JSON. Never throws. */
export function unpackPackage(bytes: Uint8Array): Unpacked {
  if (looksLikeZip(bytes)) {
    const { files, issues } = readZip(bytes);
    return issues.length > 0 ? { package: undefined, issues } : packageOfFiles("zip", files);
  }
  if (bytes.length > PACKAGE_LIMITS.archiveBytes) {
    const message = `The manifest is larger than ${PACKAGE_LIMITS.archiveBytes} bytes.`;
    return { package: undefined, issues: [packageIssue("package_too_large", "", message)] };
  }
  return packageOfFiles("manifest", new Map([["manifest.yml", bytes]]));
}

/** Finds the manifest among files that were already checked. */
export function packageOfFiles(kind: Package["kind"], files: ReadonlyMap<string, Uint8Array>): Unpacked {
  const [manifestPath, second] = MANIFEST_NAMES.filter((name) => files.has(name));
  if (manifestPath === undefined) return { package: undefined, issues: [explainMissing([...files.keys()])] };
  if (second !== undefined) {
    const message = `The package has both ${manifestPath} and ${second}. Keep one.`;
    return { package: undefined, issues: [packageIssue("package_duplicate_path", second, message)] };
  }
  const manifest = decodeText(files.get(manifestPath) ?? new Uint8Array());
  if (manifest === undefined) {
    const message = `${manifestPath} is not UTF-8 text. Save it as UTF-8.`;
    return { package: undefined, issues: [packageIssue("package_encoding", manifestPath, message)] };
  }
  return { package: { kind, files, manifestPath, manifest }, issues: [] };
}

function explainMissing(paths: readonly string[]): PackageIssue {
  const found = paths.find((path) => /(?:^|\/)manifest\.ya?ml$/i.test(path));
  const wanted = "The package has no manifest.yml at its root";
  if (found === undefined) return packageIssue("package_no_manifest", "", `${wanted}.`);
  const hint = found.includes("/")
    ? `Pack what is inside ${found.slice(0, found.lastIndexOf("/"))}, not the folder itself.`
    : "Its name is written in small letters.";
  return packageIssue("package_no_manifest", found, `${wanted}, but ${found}. ${hint}`);
}
