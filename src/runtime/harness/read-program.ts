import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { openRockRepository } from "#runtime/inspect/open-rock-repository.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { buildProgram } from "#service/blueprint/build-program.ts";
import { checkUnpacked } from "#service/blueprint/check-package.ts";
import type { Unpacked } from "#service/blueprint/unpack-package.ts";

export interface ReadProgram {
  readonly blueprint: Blueprint | undefined;
  /** Undefined when there is an error, or no script. */
  readonly program: ScriptProgram | undefined;
  /** Errors only. */
  readonly issues: readonly AnyIssue[];
}

/** The program of a package, built as for an upload. `rocks` is a folder of rocks, if there is one. */
export function readProgram(unpacked: Unpacked, rocks: string | undefined): ReadProgram {
  const checked = checkUnpacked(unpacked, starterLibrary());
  const { package: content, blueprint } = checked;
  const errors = (issues: readonly AnyIssue[]) => issues.filter(({ severity }) => severity === "error");
  const nothing = { blueprint, program: undefined, issues: errors(checked.issues) };
  if (content === undefined || blueprint === undefined || blueprint.runtime.type !== "lua") return nothing;
  const repository = openRockRepository(rocks ?? "", rocks ?? "the folder that --rocks names");
  // Syntax errors are reported when the script starts, with their place.
  const built = buildProgram(content, blueprint, {
    repository,
    checkSyntax: () => undefined,
    evaluate: createEvaluator(),
  });
  return { blueprint, program: built.program, issues: errors(built.issues) };
}
