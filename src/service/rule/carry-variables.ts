// How a cloud has the variables of a gateway's site changed: by the gateway, whose rules read them. A change waits while it is away.
import { refuse } from "#core/app-error.ts";
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { siteOfPath } from "#service/operation/find-place.ts";
import type { AnyCall, CarriedChange } from "#service/operation/operation.ts";
import { isVariableValue, VARIABLE_RULE } from "./rule-variables.ts";
import { renderVariable } from "./rule-wire.ts";
import { type ShownRulesNeeds, sourceOfRules } from "./shown-rules.ts";

const carried = { by: "gateway", place: siteOfPath, waits: true, compares: "variable" } as const;

const nameOf = (call: AnyCall): string => (call.params as { readonly variable: string }).variable;

/** The copy, if there is one yet. */
async function copyOf(needs: ShownRulesNeeds, siteId: string, name: string) {
  return (await needs.rules.variables(siteId)).find((one) => one.name === name);
}

export function newVariable(needs: ShownRulesNeeds): CarriedChange {
  return {
    ...carried,
    shown: (call) => ({ name: nameOf(call).slice(0, 80), ...(call.body as object) }),
    async check(call) {
      const { value } = call.body as { readonly value: unknown };
      if (!VARIABLE_NAME.test(nameOf(call))) throw refuse("invalid_request", VARIABLE_RULE, { parameter: "variable" });
      if (!isVariableValue(value)) throw refuse("invalid_body", VARIABLE_RULE, { pointer: "/value" });
    },
    async current(call, { siteId }) {
      const [source, found] = [await sourceOfRules(needs, call, siteId), await copyOf(needs, siteId, nameOf(call))];
      return { variable: found === undefined ? null : renderVariable(found, source) };
    },
  };
}

export function deletionOfVariable(needs: ShownRulesNeeds): CarriedChange {
  return {
    ...carried,
    shown: (call) => ({ name: nameOf(call).slice(0, 80) }),
    async check(call, { siteId }) {
      if ((await copyOf(needs, siteId, nameOf(call))) !== undefined) return;
      throw refuse("not_found", `the site has no variable ${JSON.stringify(nameOf(call).slice(0, 80))}`);
    },
  };
}
