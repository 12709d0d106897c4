import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { ruleOperations } from "#service/rule/rule-operations.ts";
import { variableOperations } from "#service/rule/variable-operations.ts";

/** Rules run on gateways: a cloud refuses what is about them. */
export const rulesOfGateways = (parts: Parts): Subject => ({
  operations: [...ruleOperations(parts), ...variableOperations(parts)],
});

export const rules = (parts: Parts): Subject => ({
  ...rulesOfGateways(parts),
  chores: [{ name: "run rules", everyMs: SECOND, task: () => parts.ruleEngine.turn() }],
});
