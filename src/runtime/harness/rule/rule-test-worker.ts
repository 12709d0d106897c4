// Plays the scenarios of a rule, in a thread of its own.
import { parentPort } from "node:worker_threads";
import type { ScenarioReport } from "#core/scenario/test-report.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { parseRuleScenarios } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import type { Numbered, TaskAnswer } from "#runtime/task-thread.ts";
import type { RuleTestTask } from "#service/ports/test-rule.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";
import { openRule } from "./open-rule.ts";
import { runRuleScenario } from "./run-rule-scenario.ts";

keepCompiled();
// A rejection is a bug: it ends the thread, and the caller is notified.
parentPort?.on("message", ({ id, ...task }: Numbered<RuleTestTask>) => void answer(id, task));

async function answer(id: number, task: RuleTestTask): Promise<void> {
  const found: TaskAnswer<readonly ScenarioReport[]> = { id, ...(await played(task)) };
  if (parentPort !== null) tryPost(parentPort, found);
}

type Played = { readonly result: readonly ScenarioReport[] } | { readonly failure: string };

async function played(task: RuleTestTask): Promise<Played> {
  const { source, file, filter, isVerbose } = task;
  const open = await openRule(task.script);
  if (open === undefined) return { failure: "the text of the rule has errors" };
  const result: ScenarioReport[] = [];
  for (const scenario of parseRuleScenarios(source, file ?? "scenario").scenarios) {
    if (filter !== undefined && file?.includes(filter) !== true && !scenario.name.includes(filter)) continue;
    result.push(await runRuleScenario({ open, isVerbose }, scenario, file));
  }
  return { result };
}
