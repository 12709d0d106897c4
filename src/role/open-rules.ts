// What runs the rules of a gateway's sites. A cloud runs none.
import type { LiveRules } from "#drivers/live-rules.ts";
import type { Engines } from "#role/open-engines.ts";
import { createRuleTester } from "#runtime/harness/rule/create-rule-tester.ts";
import { createLuaDryRun } from "#runtime/lua/rule/dry-run/run-lua-dry-run.ts";
import { createLuaRuleRunner } from "#runtime/lua/rule/lua-rule-runner.ts";
import { createRuleSimulator } from "#runtime/rule/create-rule-simulator.ts";
import { createSiteCalendars } from "#service/calendar/site-calendars.ts";
import { createSitePrices } from "#service/energy/site-prices.ts";
import { createSendNotification } from "#service/notification/send-notification.ts";
import { releaseAllOf } from "#service/rule/act-for-rule.ts";
import { createDeclarativeRunner } from "#service/rule/declarative/declarative-runner.ts";
import { knownSite } from "#service/rule/known-site.ts";
import { createLatestTraces } from "#service/rule/latest-traces.ts";
import { createNotifyForRule } from "#service/rule/notify-for-rule.ts";
import { createRuleEngine, type RuleEngine } from "#service/rule/rule-engine.ts";
import { createRuleFunctions } from "#service/rule/rule-functions.ts";
import { createRuleLog } from "#service/rule/rule-log.ts";
import { lookForModules } from "#service/rule/rule-modules.ts";
import { createRuleNews } from "#service/rule/rule-news.ts";
import { createRuleReports } from "#service/rule/rule-reports.ts";
import { createLuaTriggers, type LuaTriggers } from "#service/rule/triggers/lua-triggers.ts";
import { createUsualIntervals } from "#service/rule/usual-intervals.ts";

/** `allow`: what scripts may reach over the network. */
export function openRules(engines: Engines, allow: LiveRules) {
  const { opened, role } = engines;
  const siteCalendars = createSiteCalendars(engines);
  const sitePrices = createSitePrices(engines);
  const ruleLog = createRuleLog(engines);
  const explained: RuleEngine["explained"] = (ruleId, text) => ruleEngine.explained(ruleId, text);
  const notify = createNotifyForRule({ ruleLog, sendNotification: createSendNotification(engines) });
  const acting = { ...engines, siteCalendars, explained, notify };
  const usualIntervals = createUsualIntervals(engines);
  const latestTraces = createLatestTraces(engines);
  const ask = createRuleFunctions({ ...acting, usualIntervals });
  const host = { ask, log: ruleLog.add, trace: latestTraces.add };
  const looking = { ...engines, siteCalendars, sitePrices, log: ruleLog.add, usualIntervals };
  const openRunners = () => [
    openLua({ ...engines, allow }, host, createLuaTriggers(looking)),
    createDeclarativeRunner({ ...looking, host, explained, traced: latestTraces.seen }),
  ];
  const runners = role === "cloud" ? [] : openRunners();
  const ruleEngine = createRuleEngine(
    {
      ...engines,
      ruleLog,
      latestTraces,
      ruleNews: createRuleNews(engines),
      ruleReports: createRuleReports(engines),
      releaseAll: (rule) => releaseAllOf(acting, rule),
    },
    runners,
  );
  const luaDryRun = createLuaDryRun({ ...engines, usualIntervals });
  opened.defer(() => luaDryRun.close());
  opened.defer(() => ruleEngine.stop());
  return {
    ruleEngine,
    ruleLog,
    siteCalendars,
    luaDryRun,
    simulateRule: createRuleSimulator(),
    testRule: createRuleTester({ deadlineMs: TEST_MS }),
  };
}

/** Of processor time: clients wait no longer than half a minute. */
const TEST_MS = 10_000;

type Host = Parameters<typeof createLuaRuleRunner>[0]["host"];

function openLua(engines: Engines & { readonly allow: LiveRules }, host: Host, triggers: LuaTriggers) {
  const memoryBytes = engines.config.lua.memoryMb * 1_048_576;
  const onBug = (error: unknown) => engines.log.error({ err: error }, "a driver of a rule failed");
  const lua = createLuaRuleRunner(
    {
      ...engines,
      host,
      triggers,
      knownSite: (siteId) => knownSite(engines, siteId),
      modulesOf: (rule) => lookForModules(engines).of(rule),
    },
    { memoryBytes, drivers: { hub: undefined, allow: engines.allow, onBug } },
  );
  engines.budgets.watch(lua.memory);
  return lua;
}
