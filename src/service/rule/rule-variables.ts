import { say } from "#core/rule/run-phrases.ts";
import { LONGEST_VARIABLE, VARIABLE_NAME, type VariableValue } from "#core/rule/site-rule.ts";
import type { Needs } from "#service/ports.ts";
import { nameAt, RuleProblem } from "./rule-arguments.ts";
import type { RuleCauses } from "./rule-causes.ts";
import type { RuleFunction } from "./rule-function.ts";

export interface VariableNeeds extends Pick<Needs, "rules" | "now"> {
  readonly ruleCauses: Pick<RuleCauses, "claimed" | "released" | "variableSet">;
}

export const VARIABLE_RULE = `a variable has a name of 1 to 64 letters, digits and _, and a number, a boolean or a text of 1 to ${LONGEST_VARIABLE} characters`;

const LONGEST_SHOWN = 100;

export function isVariableValue(value: unknown): value is VariableValue {
  if (typeof value === "string") return value !== "" && value.length <= LONGEST_VARIABLE;
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

export function variableFunctions(needs: VariableNeeds): Readonly<Record<string, RuleFunction>> {
  return {
    async variable(_call, args, { rule: { siteId }, watch }) {
      const name = nameAt(args, 0, "the name of a variable");
      const found = (await needs.rules.variables(siteId)).find((one) => one.name === name);
      if (found !== undefined) {
        watch.saw({ subject: `variable ${name}`, value: found.value, ageMs: undefined });
        return [found.value];
      }
      throw new RuleProblem(`the site has no variable ${name}`);
    },
    async set_variable(call, args, { rule: { siteId }, watch }) {
      const name = nameAt(args, 0, "the name of a variable");
      const value = args[1];
      if (!VARIABLE_NAME.test(name) || !isVariableValue(value)) throw new RuleProblem(VARIABLE_RULE);
      const before = (await needs.rules.variables(siteId)).find((one) => one.name === name);
      // A rule that says the same each second writes it once.
      if (before?.value !== value) {
        watch.acted(say("set_to", { variable: name, value: String(value).slice(0, LONGEST_SHOWN) }));
        const at = needs.now();
        needs.ruleCauses.variableSet(siteId, name, { at, by: call.causes ?? [] });
        await needs.rules.putVariable(siteId, { name, value, updatedAt: at }, undefined);
      }
      return [true];
    },
  };
}
