// Plays the scenarios of a rule, in a thread of its own.
import { parentPort } from "node:worker_threads";
import type { ScenarioReport } from "#core/scenario/test-report.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { parseRuleScenarios } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import type { Numbered, TaskAnswer } from "#runtime/task-thread.ts";
import type { RuleTestResult, RuleTestTask } from "#service/ports/test-rule.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { createReportBounds } from "./bound-reports.ts";
import { openRule } from "./open-rule.ts";
import { readTestedRule } from "./read-tested-rule.ts";
import { runRuleScenario } from "./run-rule-scenario.ts";

keepCompiled();
// A rejection is a bug: it ends the thread, and the caller is notified.
parentPort?.on("message", ({ id, ...task }: Numbered<RuleTestTask>) => void answer(id, task));

async function answer(id: number, task: RuleTestTask): Promise<void> {
  const found: TaskAnswer<RuleTestResult> = { id, result: await played(task) };
  if (parentPort !== null) tryPost(parentPort, found);
}

const NO_RULE = "The scenarios need a rule. Give one beside them, or name a ready controller: `controller: {id: ...}`.";

async function played({ script, source, file, filter, isVerbose }: RuleTestTask): Promise<RuleTestResult> {
  const { task, issues, rule } = readTestedRule({ source, file, scriptOf: () => script ?? NO_RULE });
  const scenarios: ScenarioReport[] = [];
  const bounded = createReportBounds();
  const open = task && (await openRule(task.script));
  for (const scenario of open === undefined ? [] : parseRuleScenarios(source, file ?? "scenario").scenarios) {
    if (filter !== undefined && file?.includes(filter) !== true && !scenario.name.includes(filter)) continue;
    if (open !== undefined) scenarios.push(bounded(await runRuleScenario({ open, isVerbose }, scenario, file)));
  }
  return { issues, ruleIssues: rule?.issues ?? [], scenarios };
}
