import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { ruleOperations } from "#service/rule/rule-operations.ts";
import { variableOperations } from "#service/rule/variable-operations.ts";

/** Rules run on gateways: a cloud refuses what is about them. */
export const rules = (parts: Parts): Subject => ({
  operations: [...ruleOperations(parts), ...variableOperations(parts)],
  chores: parts.role === "cloud" ? [] : [{ name: "run rules", everyMs: SECOND, task: () => parts.ruleEngine.turn() }],
});
