import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { openRockRepository } from "#runtime/inspect/open-rock-repository.ts";
import { createSyntaxChecks } from "#runtime/lua/check-syntax.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { buildProgram } from "#service/blueprint/build-program.ts";
import { checkUnpacked } from "#service/blueprint/check-package.ts";
import type { LintResult } from "./lint-result.ts";
import type { Source } from "./read-source.ts";

const syntaxChecks = createSyntaxChecks();
const evaluate = createEvaluator();

export interface LintContext {
  readonly profiles: ProfileLibrary;
  /** A folder of rocks. Undefined: nothing is said about rocks. */
  readonly rocks: string | undefined;
}

/** Everything that can be said without a server: the manifest, its files and its scripts. */
export function lintSource(source: Source, { profiles, rocks }: LintContext): LintResult {
  const { name, folder, unpacked } = source;
  const { package: content, blueprint, issues } = checkUnpacked(unpacked, profiles);
  const text = unpacked.package?.manifest ?? "";
  if (content === undefined || blueprint?.runtime.type !== "lua" || content.kind === "manifest") {
    return { name, folder, issues, text };
  }
  const repository = rocks === undefined ? undefined : openRockRepository(rocks, rocks);
  const scripts = buildProgram(content, blueprint, { repository, checkSyntax: syntaxChecks(), evaluate });
  const read = (path: string) => decodeText(content.files.get(path) ?? new Uint8Array());
  const texts = new Map(scripts.issues.map(({ path }) => [path, read(path) ?? ""]));
  return { name, folder, issues: [...issues, ...scripts.issues], text, scripts: texts };
}
