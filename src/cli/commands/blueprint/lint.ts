import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { renderReport } from "#cli/blueprint/lint-report.ts";
import { countIssues, type LintResult } from "#cli/blueprint/lint-result.ts";
import { lintSource } from "#cli/blueprint/lint-source.ts";
import { renderGithub, renderJson, renderSarif } from "#cli/blueprint/lint-wire.ts";
import { readProfileLibrary } from "#cli/blueprint/read-profile-library.ts";
import { readSources, type Source } from "#cli/blueprint/read-source.ts";
import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { UsageError } from "#cli/usage-error.ts";
import { applyFixes } from "#core/blueprint/apply-fixes.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { checkUnpacked } from "#service/blueprint/check-package.ts";
import { version } from "#version";

export type LintFlags = {
  readonly output: "pretty" | "json" | "github" | "sarif";
  readonly fix?: boolean;
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly profiles?: string;
  readonly rocks?: string;
};

/** Fails when there is an error, or under --strict anything at all. */
export async function lint(cli: Cli, paths: readonly string[], flags: LintFlags): Promise<void> {
  const profiles = await readProfileLibrary(cli, flags.profiles);
  const rocks = flags.rocks === undefined ? undefined : resolve(cli.cwd, flags.rocks);
  const sources = await readSources(cli, paths);
  const fixed = flags.fix === true ? sources.map((source) => fixSource(cli, source, profiles)) : sources;
  const results = fixed.map((source) => lintSource(source, { profiles, rocks }));
  const shown = flags.quiet === true ? results.map(withoutWarnings) : results;
  const report = renderAs(cli, flags.output, shown);
  // With the fixed manifest on standard output, the report must go elsewhere.
  const isText = flags.fix === true && paths.includes("-");
  if (report !== "") (isText ? cli.stderr : cli.stdout).write(`${report}\n`);
  const { errors, warnings } = countIssues(results);
  if (errors > 0 || (flags.strict === true && warnings > 0)) throw new QuietFailure(EXIT.failure);
}

function renderAs(cli: Cli, output: LintFlags["output"], results: readonly LintResult[]): string {
  if (output === "json") return JSON.stringify(renderJson(results), null, 2);
  if (output === "sarif") return JSON.stringify(renderSarif(results, version()), null, 2);
  if (output === "github") return renderGithub(results);
  return renderReport(results, cli.stdout.hasColors?.() === true);
}

function withoutWarnings(result: LintResult): LintResult {
  return { ...result, issues: result.issues.filter(({ severity }) => severity === "error") };
}

/** Writes the fixes into the manifest: back into its file, or to standard output when it came from standard input. */
function fixSource(cli: Cli, source: Source, profiles: ProfileLibrary): Source {
  const { package: unpacked } = source.unpacked;
  if (unpacked === undefined) return source;
  if (unpacked.kind === "zip") throw new UsageError(`${source.name} is a zip: unpack it to have it fixed`);
  const withText = (manifest: string) => ({ package: { ...unpacked, manifest }, issues: [] });
  const check = (text: string) =>
    checkUnpacked(withText(text), profiles).issues.map((issue) => ("fix" in issue ? issue : {}));
  const { text, count } = applyFixes(unpacked.manifest, check);
  if (source.manifestFile === undefined) cli.stdout.write(text);
  else if (count > 0) replaceText(source.manifestFile, text);
  if (count > 0) remark(cli, `${source.name}: ${count} fixed`);
  return { ...source, unpacked: withText(text) };
}

/** In one step, so that a crash leaves the old file or the new one. Keeps the mode and a byte order mark. */
function replaceText(file: string, text: string): void {
  const hasMark = readFileSync(file, "utf8").startsWith("\ufeff");
  const temporary = `${file}.fixing`;
  writeFileSync(temporary, hasMark ? `\ufeff${text}` : text, { mode: statSync(file).mode });
  renameSync(temporary, file);
}
