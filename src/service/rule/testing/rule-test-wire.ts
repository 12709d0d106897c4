import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { Failure, ScenarioReport } from "#core/scenario/test-report.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, strict } from "#service/operation/wire.ts";
import type { RuleTestResult } from "#service/ports/test-rule.ts";
import { ruleDiagnosticSchema } from "#service/rule/check-wire.ts";
import { newScriptSchema } from "#service/rule/rule-wire.ts";

/** Characters. */
const LONGEST_SCENARIOS = 131_072;

export const newRuleTestSchema = strict("NewRuleTest", {
  scenarios: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_SCENARIOS,
      description: "The text of the scenarios, in YAML. Default: the tests that the text of the rule keeps.",
    }),
  ),
  script: Type.Optional(newScriptSchema),
  rule: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "Id or slug of a stored rule, instead of a script." }),
  ),
  filter: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Only scenarios whose name contains this." }),
  ),
});

const milliseconds = Type.Number({ minimum: 0, description: "Virtual time since the start of the scenario." });
const place = nullable(Type.Integer({ minimum: 1, description: "In the text of the scenarios." }));

const failureSchema = strict("RuleTestFailure", {
  message: Type.String(),
  expected: nullable(Type.String()),
  actual: nullable(Type.String()),
  at_ms: nullable(milliseconds),
  line: place,
  column: place,
});

const scenarioSchema = strict("RuleTestScenario", {
  name: Type.String(),
  passed: Type.Boolean(),
  elapsed_ms: milliseconds,
  failures: Type.Array(failureSchema),
  timeline: Type.Array(strict("RuleTestEntry", { at_ms: milliseconds, text: Type.String(), step: Type.Boolean() }), {
    description: "What happened, the last 500 entries.",
  }),
});

export const ruleTestSchema = described("RuleTest", "What scenarios say of a rule.", {
  passed: Type.Boolean(),
  diagnostics: Type.Array(ruleDiagnosticSchema, { description: "What is wrong with the text of the scenarios." }),
  rule_diagnostics: Type.Array(ruleDiagnosticSchema, {
    description: "What is wrong with the rule. With any of these nothing is played.",
  }),
  scenarios: Type.Array(scenarioSchema),
});

const MOST_DIAGNOSTICS = 100;
const MOST_FAILURES = 100;
const MOST_ENTRIES = 500;
const LONGEST_TEXT = 1_000;

export function renderRuleTest({ issues, ruleIssues, scenarios }: RuleTestResult): Static<typeof ruleTestSchema> {
  const hasFailed = scenarios.length === 0 || scenarios.some(({ failures }) => failures.length > 0);
  return {
    passed: issues.length === 0 && ruleIssues.length === 0 && !hasFailed,
    diagnostics: issues.slice(0, MOST_DIAGNOSTICS).map(renderDiagnostic),
    rule_diagnostics: ruleIssues.slice(0, MOST_DIAGNOSTICS).map(renderDiagnostic),
    scenarios: scenarios.map(renderScenario),
  };
}

const renderScenario = ({ name, failures, elapsed, timeline }: ScenarioReport) => ({
  name: short(name),
  passed: failures.length === 0,
  elapsed_ms: elapsed,
  failures: failures.slice(0, MOST_FAILURES).map(renderFailure),
  timeline: timeline
    .slice(-MOST_ENTRIES)
    .map(({ at, text, isStep }) => ({ at_ms: at, text: short(text), step: isStep })),
});

const renderFailure = ({ message, expected, actual, at, place: start }: Failure) => ({
  message: short(message),
  expected: expected === undefined ? null : short(expected),
  actual: actual === undefined ? null : short(actual),
  at_ms: at ?? null,
  line: start?.line ?? null,
  column: start?.column ?? null,
});

const short = (text: string): string => text.slice(0, LONGEST_TEXT);
