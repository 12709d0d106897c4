// Variables of a site: values that rules read, and that people and rules set.
import { refuse } from "#core/app-error.ts";
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { NOTHING, nullable } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";
import { deletionOfVariable, newVariable } from "./carry-variables.ts";
import { RULE_LEVEL } from "./rule-caller.ts";
import { isVariableValue, VARIABLE_RULE } from "./rule-variables.ts";
import { renderVariable, variableChangeSchema, variableSchema } from "./rule-wire.ts";
import { type ShownRulesNeeds, sourceOfRules } from "./shown-rules.ts";

export type VariableOperationNeeds = Pick<Needs, "now" | "newId"> & ShownRulesNeeds;

const variableAnswer = Type.Object(
  {
    variable: { ...nullable(variableSchema), description: "null: in a cloud, while a new one waits for its gateway." },
  },
  { additionalProperties: false },
);

const tag = "Rules";

export function variableOperations(needs: VariableOperationNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/variables",
      name: "listVariables",
      summary: "List the variables of a site, by name",
      tag,
      level: "readonly",
      answer: Type.Object({ variables: Type.Array(variableSchema) }, { additionalProperties: false }),
      run: async (call) => {
        const source = await sourceOfRules(needs, call, call.params.site_id);
        const all = await needs.rules.variables(source.site.id);
        return { variables: all.map((one) => renderVariable(one, source)) };
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/variables/:variable",
      name: "putVariable",
      summary: "Set a variable of a site",
      description: "Rules read it with variables.get, and may set it, too.",
      tag,
      level: RULE_LEVEL,
      atGateway: newVariable(needs),
      body: variableChangeSchema,
      answer: variableAnswer,
      run: async (call) => {
        const source = await sourceOfRules(needs, call, call.params.site_id);
        const siteId = source.site.id;
        const name = call.params.variable;
        const { value } = call.body;
        if (!VARIABLE_NAME.test(name)) throw refuse("invalid_request", VARIABLE_RULE, { parameter: "variable" });
        if (!isVariableValue(value)) throw refuse("invalid_body", VARIABLE_RULE, { pointer: "/value" });
        const variable = { name, value, updatedAt: needs.now() };
        await needs.rules.putVariable(
          siteId,
          variable,
          auditTrail(needs, call, { target: { siteId }, details: { name, value } }),
        );
        return { variable: renderVariable(variable, source) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id/variables/:variable",
      name: "deleteVariable",
      summary: "Delete a variable of a site",
      tag,
      level: RULE_LEVEL,
      atGateway: deletionOfVariable(needs),
      answer: NOTHING,
      run: async (call) => {
        const { site } = await sourceOfRules(needs, call, call.params.site_id);
        const siteId = site.id;
        const name = call.params.variable;
        const trail = auditTrail(needs, call, { target: { siteId }, details: { name: name.slice(0, 80) } });
        if (await needs.rules.deleteVariable(siteId, name, trail)) return {};
        throw refuse("not_found", `the site has no variable ${JSON.stringify(name.slice(0, 80))}`);
      },
    }),
  ];
}
