import { type RuleTestInput, type RuleTestRead, readRuleTest } from "#manifest/rule-scenario/read-rule-test.ts";
import { cronProblem } from "#service/schedule/next-time.ts";

/** Cron expressions are checked, too. */
export const readTestedRule = (input: Omit<RuleTestInput, "cronProblem">): RuleTestRead =>
  readRuleTest({ ...input, cronProblem });
