import { NO_MODULES } from "#core/rule/rule-modules.ts";
import type { TestedScript } from "#core/rule/tested-script.ts";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import { ruleProgram } from "#runtime/lua/rule/rule-program.ts";
import type { RuleRunNeeds } from "./run-rule-scenario.ts";
import { testedScript } from "./tested-script.ts";

/** Counted in instructions, so that it is the same on every machine. */
const ACTIVITY_MS = 5_000;

export function openScript({ name, text, modules = NO_MODULES, intervalMs }: TestedScript): RuleRunNeeds["open"] {
  const engine = createLuaEngine({ isVirtualTime: true, activityMs: ACTIVITY_MS });
  const program = ruleProgram(name, text, modules);
  return ({ scenario: { timezone }, ...given }) =>
    testedScript({ engine, script: { ruleId: "rule", program, intervalMs, timezone }, ...given });
}
