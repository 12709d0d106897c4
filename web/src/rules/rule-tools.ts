// What the page computes about rules in YAML: the checks are those of the service. It runs in a worker, so that a long text never
// stops the typing.
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import { type RuleReads, ruleReads } from "#core/rule/rule-reads.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import { type DocumentEdit, editDocument } from "#manifest/edit-document.ts";
import { readPlainDocument } from "#manifest/plain-document.ts";
import { parseRule, renderRuleSchema } from "#manifest/rule/parse-rule.ts";
import { parseRuleScenarios, renderRuleScenarioSchema } from "#manifest/rule-scenario/parse-rule-scenarios.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export type ReadRule = {
  readonly issues: readonly Issue[];
  /** Undefined while there is an error. */
  readonly rule: DeclarativeRule | undefined;
  readonly reads: RuleReads | undefined;
  /** The text as an object, also while it is no good rule. Undefined while it is no YAML. */
  readonly document: JsonObject | undefined;
};

/** The questions that a worker answers. */
export type RuleTools = ReturnType<typeof createRuleTools>;

export function createRuleTools() {
  let site: RuleSite | undefined;
  return {
    /** What the site has. Without it names are not checked. */
    setSite(known: RuleSite): void {
      site = known;
    },

    read(text: string): ReadRule {
      const { rule, issues } = parseRule(text, { site });
      const { value } = readPlainDocument(text, "rule");
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const document = isObject ? (JSON.parse(JSON.stringify(value)) as JsonObject) : undefined;
      return { issues, rule, reads: rule && ruleReads(rule), document };
    },

    /** Variables that a rule reads or sets, also those that the site does not have. */
    variables(text: string): readonly string[] {
      const { rule } = parseRule(text, { site: undefined });
      if (rule === undefined) return [];
      const set = [...rule.thenActions, ...rule.elseActions].flatMap((one) =>
        one.kind === "set" ? [one.variable] : [],
      );
      return [...new Set([...ruleReads(rule).variables, ...set])];
    },

    /** Undefined if the text is no YAML: then there is nothing to change in it. */
    edit(text: string, edits: readonly DocumentEdit[]): string | undefined {
      return readPlainDocument(text, "rule").value === undefined ? undefined : editDocument(text, edits);
    },

    /** The language, for editors. */
    schema(): JsonSchema {
      return renderRuleSchema();
    },

    /** What is wrong with the text of tests. Whether the rule fits them is known when they are run. */
    readTests(text: string): readonly Issue[] {
      return parseRuleScenarios(text, "rule").issues;
    },

    testSchema(): JsonSchema {
      return renderRuleScenarioSchema();
    },
  };
}
