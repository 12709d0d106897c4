import type { Range } from "./issue.ts";

/** What can be wrong with a package before its manifest is read. All of it refuses. Codes are stable. */
export const PACKAGE_ISSUE_CODES = {
  package_too_large: "The package, a file in it, or the number of files is above a limit, or it is packed too tightly.",
  package_damaged: "The zip is cut short, broken, or says two things about the same file.",
  package_unsupported: "The zip uses encryption, zip64 or another feature that no package needs.",
  package_path: "A path that leads out of the package, or that some systems cannot hold.",
  package_special_file: "A symbolic link, device, pipe or socket.",
  package_duplicate_path: "Two entries that are one file on some disks.",
  package_no_manifest: "There is no manifest.yml at the root.",
  package_encoding: "The manifest is not UTF-8 text.",
  package_unreadable: "A file or folder on disk that cannot be read.",
} as const;

export type PackageIssueCode = keyof typeof PACKAGE_ISSUE_CODES;

/** Has the shape of an `Issue`, so that both are shown and sent in one list. */
export interface PackageIssue {
  readonly code: PackageIssueCode;
  readonly severity: "error";
  readonly message: string;
  /** The file's path inside the package (it never begins with a slash, a JSON pointer does); empty for the package itself. */
  readonly path: string;
  readonly range: Range;
}

const FILE_START: Range = { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } };

export function packageIssue(code: PackageIssueCode, path: string, message: string): PackageIssue {
  return { code, severity: "error", message, path, range: FILE_START };
}
