import { listUnder } from "./list-of.ts";
import type { NewRule, NewRuleDryRun, NewRuleScript, NewRuleTest, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Rules of a site, the engine that runs them, and variables that they read. A rule goes by its id or slug. */
export function rules({ perform }: Transport) {
  const of = (site_id: string, rule: string) => ({ params: { site_id, rule } });
  return {
    engine: (site_id: string) => perform("getRuleEngine", { params: { site_id } }),
    suspend: (site_id: string) => perform("suspendRuleEngine", { params: { site_id } }),
    resume: (site_id: string) => perform("resumeRuleEngine", { params: { site_id } }),
    list: listUnder("rules", (site_id: string, query: Queries["listRules"] = {}) =>
      perform("listRules", { params: { site_id }, query }),
    ),
    get: (site_id: string, rule: string) => perform("getRule", of(site_id, rule)),
    /** The code is base64 of its text. */
    create: (site_id: string, body: NewRule) => perform("createRule", { params: { site_id }, body }),
    rename: (site_id: string, rule: string, slug: string) =>
      perform("updateRule", { ...of(site_id, rule), body: { slug } }),
    /** `revision` is the one that was read: refused with 409 if it is another one. */
    updateScript: (site_id: string, rule: string, script: NewRuleScript, revision?: number) =>
      perform("updateRuleScript", {
        ...of(site_id, rule),
        body: { script },
        ...(revision === undefined ? {} : { headers: { "If-Match": `"${revision}"` } }),
      }),
    delete: (site_id: string, rule: string) => perform("deleteRule", of(site_id, rule)),
    enable: (site_id: string, rule: string) => perform("enableRule", of(site_id, rule)),
    disable: (site_id: string, rule: string) => perform("disableRule", of(site_id, rule)),
    /** All of them, or none if one does not exist. */
    enableAll: (site_id: string, rule_ids: readonly string[]) =>
      perform("enableRules", { params: { site_id }, body: { rule_ids } }),
    disableAll: (site_id: string, rule_ids: readonly string[]) =>
      perform("disableRules", { params: { site_id }, body: { rule_ids } }),
    /** Newest first. */
    logs: (site_id: string, rule: string, query: Queries["listRuleLogs"] = {}) =>
      perform("listRuleLogs", { ...of(site_id, rule), query }),
    /** Rules that are set up by parameters instead of code. */
    controllers: (site_id: string) => perform("listControllers", { params: { site_id } }),
    /** The text of the rule that a controller makes; what is wrong with the parameters is in the answer. */
    renderController: (
      site_id: string,
      controller: string,
      parameters: Readonly<Record<string, string | number | boolean | null>>,
      slug?: string,
    ) =>
      perform("renderController", {
        params: { site_id, controller },
        body: { parameters, ...(slug === undefined ? {} : { slug }) },
      }),
    /** What it did and why, newest first. */
    traces: (site_id: string, rule: string, query: Queries["listRuleTraces"] = {}) =>
      perform("listRuleTraces", { ...of(site_id, rule), query }),
    trace: (site_id: string, rule: string, trace_id: string) =>
      perform("getRuleTrace", { params: { site_id, rule, trace_id } }),
    /** What is wrong with a text, by what the site has. */
    check: (site_id: string, script: NewRuleScript) => perform("checkRule", { params: { site_id }, body: { script } }),
    /** What rules of the site can name. */
    names: (site_id: string, query: Queries["listRuleNames"] = {}) =>
      perform("listRuleNames", { params: { site_id }, query }),
    /** What a rule would have done with the stored past. */
    dryRun: (site_id: string, body: NewRuleDryRun) => perform("dryRunRule", { params: { site_id }, body }),
    /** What scenarios say of a rule. */
    test: (site_id: string, body: NewRuleTest) => perform("testRule", { params: { site_id }, body }),
    variables: (site_id: string) => perform("listVariables", { params: { site_id } }),
    putVariable: (site_id: string, variable: string, value: number | string | boolean) =>
      perform("putVariable", { params: { site_id, variable }, body: { value } }),
    deleteVariable: (site_id: string, variable: string) => perform("deleteVariable", { params: { site_id, variable } }),
  };
}
