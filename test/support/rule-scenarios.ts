// Scenarios of rules, played in this thread.
import type { TestedScript } from "#core/rule/tested-script.ts";
import type { Failure, ScenarioReport } from "#core/scenario/test-report.ts";
import { parseRuleScenarios } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import { openRule } from "#runtime/harness/rule/open-rule.ts";
import { readTestedRule } from "#runtime/harness/rule/read-tested-rule.ts";
import { runRuleScenario } from "#runtime/harness/rule/run-rule-scenario.ts";

export const playScenarios = (text: string, source: string, mostTurns?: number) =>
  play({ name: "rule.yml", language: "yaml", text, intervalMs: undefined }, source, mostTurns);

/** Of a script in Lua. */
export const playScript = (text: string, source: string) =>
  play({ name: "rule.lua", language: "lua", text, intervalMs: undefined }, source);

/** Throws if the rule or the scenarios have mistakes. */
async function play(given: TestedScript, source: string, mostTurns?: number): Promise<readonly ScenarioReport[]> {
  const { task, issues, rule } = readTestedRule({ source, file: "rule.test.yml", scriptOf: () => given });
  const open = task && (await openRule(task.script));
  if (open === undefined) {
    const all = [...issues, ...(rule?.issues ?? [])];
    throw new Error(all.map(({ message, range: { start } }) => `${start.line}:${start.column} ${message}`).join("\n"));
  }
  const reports: ScenarioReport[] = [];
  for (const scenario of parseRuleScenarios(source, "rule.test.yml").scenarios) {
    const needs = { open, isVerbose: true, ...(mostTurns === undefined ? {} : { mostTurns }) };
    reports.push(await runRuleScenario(needs, scenario, "rule.test.yml"));
  }
  return reports;
}

/** A failure in one line. */
export function lineOf({ message, expected, actual, at, place }: Failure): string {
  const compared = expected === undefined ? "" : `: expected ${expected}, came ${actual}`;
  return `${place?.line ?? 0} ${message}${compared} at ${at}`;
}
