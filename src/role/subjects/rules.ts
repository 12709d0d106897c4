import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { SharedChore, Subject } from "#role/subject.ts";
import { checkOperations } from "#service/rule/check-operations.ts";
import { controllerOperations } from "#service/rule/controller-operations.ts";
import { dryRunOperations } from "#service/rule/dry-run/dry-run-operations.ts";
import { ruleOperations } from "#service/rule/rule-operations.ts";
import { ruleTestOperations } from "#service/rule/testing/rule-test-operations.ts";
import { traceOperations } from "#service/rule/trace-operations.ts";
import { variableOperations } from "#service/rule/variable-operations.ts";

/** Rules run on gateways: a cloud refuses what is about them. */
export const rulesOfGateways = (parts: Parts): Subject => ({
  operations: [
    ...ruleOperations(parts),
    ...traceOperations(parts),
    ...checkOperations(parts),
    ...dryRunOperations(parts),
    ...ruleTestOperations(parts),
    ...variableOperations(parts),
    ...controllerOperations(parts),
  ],
  chores: publishing(parts),
});

const publishing = ({ reportedRules }: Parts): readonly SharedChore[] =>
  reportedRules === undefined
    ? []
    : [{ name: "publish what rules of gateways do", everyMs: SECOND, task: () => reportedRules.publish() }];

export const rules = (parts: Parts): Subject => ({
  ...rulesOfGateways(parts),
  chores: [{ name: "run rules", everyMs: SECOND, task: () => parts.ruleEngine.turn() }],
});
