// What runs the rules of a gateway's sites. A cloud runs none.
import type { Engines } from "#role/open-engines.ts";
import { createLuaRuleRunner } from "#runtime/lua/rule/lua-rule-runner.ts";
import { releaseAllOf } from "#service/rule/act-for-rule.ts";
import { createDeclarativeRunner } from "#service/rule/declarative/declarative-runner.ts";
import { createRuleEngine, type RuleEngine } from "#service/rule/rule-engine.ts";
import { createRuleFunctions } from "#service/rule/rule-functions.ts";
import { createRuleLog } from "#service/rule/rule-log.ts";
import { createUsualIntervals } from "#service/rule/usual-intervals.ts";

export function openRules(engines: Engines) {
  const { opened, role } = engines;
  const ruleLog = createRuleLog(engines);
  const explained: RuleEngine["explained"] = (ruleId, text) => ruleEngine.explained(ruleId, text);
  const acting = { ...engines, explained };
  const usualIntervals = createUsualIntervals(engines);
  const ask = createRuleFunctions({ ...acting, usualIntervals });
  const host = { ask, log: ruleLog.add };
  const openRunners = () => [
    openLua(engines, host),
    createDeclarativeRunner({ ...engines, host, usualIntervals, explained }),
  ];
  const runners = role === "cloud" ? [] : openRunners();
  const ruleEngine = createRuleEngine(
    { ...engines, ruleLog, releaseAll: (rule) => releaseAllOf(acting, rule) },
    runners,
  );
  opened.defer(() => ruleEngine.stop());
  return { ruleEngine, ruleLog };
}

type Host = Parameters<typeof createLuaRuleRunner>[0]["host"];

function openLua(engines: Engines, host: Host) {
  const memoryBytes = engines.config.lua.memoryMb * 1_048_576;
  const lua = createLuaRuleRunner({ ...engines, host }, { memoryBytes });
  engines.budgets.watch(lua.memory);
  return lua;
}
