import type { Issue } from "./issue.ts";
import type { PackageIssue } from "./package-issue.ts";
import type { ScriptIssue } from "./script-issue.ts";

/** About a manifest, a package or its scripts. */
export type AnyIssue = Issue | PackageIssue | ScriptIssue;
