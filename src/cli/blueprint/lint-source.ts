import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import { buildProgram } from "#service/blueprint/build-program.ts";
import { checkUnpacked } from "#service/blueprint/check-package.ts";
import type { LintResult } from "./lint-result.ts";
import type { Source } from "./read-source.ts";

/** Everything that can be said without a server: the manifest, its files, and its scripts as far as no rocks are needed. */
export function lintSource({ name, unpacked }: Source, profiles: ProfileLibrary): LintResult {
  const { package: content, blueprint, issues } = checkUnpacked(unpacked, profiles);
  const text = unpacked.package?.manifest ?? "";
  if (content === undefined || blueprint?.runtime.type !== "lua" || content.kind === "manifest") {
    return { name, issues, text };
  }
  const scripts = buildProgram(content, blueprint, { shelf: undefined, checkSyntax: () => undefined });
  return { name, issues: [...issues, ...scripts.issues], text };
}
