// Scenarios of rules, played in this thread.
import type { Failure, ScenarioReport } from "#core/scenario/test-report.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { parseRuleScenarios } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import { readTestedRule } from "#runtime/harness/rule/read-tested-rule.ts";
import { runRuleScenario } from "#runtime/harness/rule/run-rule-scenario.ts";
import { testedYaml } from "#runtime/harness/rule/tested-yaml.ts";

/** Throws if the rule or the scenarios have mistakes. */
export async function playScenarios(
  rule: string,
  source: string,
  mostTurns?: number,
): Promise<readonly ScenarioReport[]> {
  const script = { name: "rule.yml", language: "yaml", text: rule, intervalMs: undefined } as const;
  const read = readTestedRule({ source, file: "rule.test.yml", scriptOf: () => script });
  const { rule: parsed } = parseRule(read.task?.script.text ?? "");
  if (read.task === undefined || parsed === undefined) {
    const issues = [...read.issues, ...(read.rule?.issues ?? [])];
    throw new Error(
      issues.map(({ message, range: { start } }) => `${start.line}:${start.column} ${message}`).join("\n"),
    );
  }
  const reports: ScenarioReport[] = [];
  for (const scenario of parseRuleScenarios(source, "rule.test.yml").scenarios) {
    const needs = {
      open: (given: Omit<Parameters<typeof testedYaml>[0], "rule">) => testedYaml({ rule: parsed, ...given }),
      isVerbose: true,
      ...(mostTurns === undefined ? {} : { mostTurns }),
    };
    reports.push(await runRuleScenario(needs, scenario, "rule.test.yml"));
  }
  return reports;
}

/** A failure in one line. */
export function lineOf({ message, expected, actual, at, place }: Failure): string {
  const compared = expected === undefined ? "" : `: expected ${expected}, came ${actual}`;
  return `${place?.line ?? 0} ${message}${compared} at ${at}`;
}
