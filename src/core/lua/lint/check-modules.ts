// Modules that the script of a rule requires and the site does not have.
import type { LuaBlock } from "#core/lua/lua-syntax.ts";
import { walkLua } from "#core/lua/walk-lua.ts";
import { isRuleLibrary, type RuleModules } from "#core/rule/rule-modules.ts";
import type { LintFacts } from "./lint-facts.ts";
import type { LintReport } from "./lint-report.ts";

interface Modules {
  readonly report: LintReport;
  readonly facts: LintFacts;
  readonly modules: RuleModules;
}

export function checkModules({ report, facts, modules }: Modules, path: string, chunk: LuaBlock): void {
  // A script may bring modules of its own, in package.preload.
  if (facts.globals.has("package") || facts.isDynamic) return;
  walkLua(chunk, {
    chain({ head, steps: [call] }) {
      const isRequire = head.kind === "name" && head.name === "require" && head.local === undefined;
      const first = isRequire && call?.kind === "call" ? call.args[0] : undefined;
      if (first === undefined) return;
      if (first.kind !== "string") {
        report.add("lua_dynamic_require", path, first, DYNAMIC);
        return;
      }
      const problem = isRuleLibrary(first.text) ? undefined : modules.problems.get(first.text);
      if (problem === undefined) return;
      const message = `The module ${JSON.stringify(first.text.slice(0, LONGEST_SHOWN))} cannot be required: ${problem}.`;
      report.add("lua_module_missing", path, first, message);
    },
  });
}

const LONGEST_SHOWN = 80;
const DYNAMIC = "Only a module whose name is written down is there when the rule runs: write require('prices').";
