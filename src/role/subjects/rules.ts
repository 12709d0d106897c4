import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { createLuaRuleRunner } from "#runtime/lua/rule/lua-rule-runner.ts";
import { createRuleEngine, type RuleEngine } from "#service/rule/rule-engine.ts";
import { createRuleFunctions } from "#service/rule/rule-functions.ts";
import { createRuleLog } from "#service/rule/rule-log.ts";
import { ruleOperations } from "#service/rule/rule-operations.ts";
import { createUsualIntervals } from "#service/rule/usual-intervals.ts";
import { variableOperations } from "#service/rule/variable-operations.ts";

export function rules(parts: Parts): Subject {
  const { budgets, config, opened } = parts;
  const ruleLog = createRuleLog(parts);
  const explained: RuleEngine["explained"] = (ruleId, text) => ruleEngine.explained(ruleId, text);
  const ask = createRuleFunctions({ ...parts, usualIntervals: createUsualIntervals(parts), explained });
  const lua = createLuaRuleRunner(
    { ...parts, host: { ask, log: ruleLog.add } },
    { memoryBytes: config.lua.memoryMb * 1_048_576 },
  );
  budgets.watch(lua.memory);
  const ruleEngine = createRuleEngine({ ...parts, ruleLog }, [lua]);
  opened.defer(() => ruleEngine.stop());
  return {
    operations: [...ruleOperations({ ...parts, ruleEngine, ruleLog }), ...variableOperations(parts)],
    chores: [{ name: "run rules", everyMs: SECOND, task: () => ruleEngine.turn() }],
  };
}

/** Rules run on gateways: a cloud refuses what is about them. */
export function rulesOfGateways(parts: Parts): Subject {
  const ruleLog = createRuleLog(parts);
  const ruleEngine = createRuleEngine({ ...parts, ruleLog }, []);
  return { operations: [...ruleOperations({ ...parts, ruleEngine, ruleLog }), ...variableOperations(parts)] };
}
