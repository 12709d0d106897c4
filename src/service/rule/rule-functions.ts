// What scripts of rules may ask for, by name. A refusal is nil and a text for the script; everything else that fails is a bug.
import { AppError } from "#core/app-error.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { type ActForRuleNeeds, actingFunctions } from "./act-for-rule.ts";
import { type EnergyForRuleNeeds, energyFunctions } from "./energy-for-rule.ts";
import { type ReadForRuleNeeds, readingFunctions } from "./read-for-rule.ts";
import { RuleProblem } from "./rule-arguments.ts";
import { type CalendarFunctionNeeds, calendarFunctions } from "./rule-calendars.ts";
import { callOfRule } from "./rule-caller.ts";
import { NOBODY_WATCHES, type RuleAsked, type RuleFunction } from "./rule-function.ts";
import { type VariableNeeds, variableFunctions } from "./rule-variables.ts";

export interface RuleFunctionNeeds
  extends ReadForRuleNeeds,
    ActForRuleNeeds,
    VariableNeeds,
    EnergyForRuleNeeds,
    CalendarFunctionNeeds {}

export function createRuleFunctions(needs: RuleFunctionNeeds) {
  const functions = new Map<string, RuleFunction>(
    Object.entries({
      ...readingFunctions(needs),
      ...actingFunctions(needs),
      ...variableFunctions(needs),
      ...energyFunctions(needs),
      ...calendarFunctions(needs),
    }),
  );
  return async (
    rule: SiteRule,
    name: string,
    args: readonly unknown[],
    { watch = NOBODY_WATCHES, causes }: RuleAsked = {},
  ): Promise<readonly unknown[]> => {
    const run = functions.get(name);
    if (run === undefined) return [null, `rules have no function ${name.slice(0, 80)}`];
    try {
      return await run(callOfRule(rule, name, causes), args, { rule, watch });
    } catch (error) {
      if (error instanceof AppError || error instanceof RuleProblem) return [null, error.message];
      throw error;
    }
  };
}
