// Rules of a site and the engine that runs them, as clients of the ecosystem call them.
import type { EngineState, SiteRule } from "#core/rule/site-rule.ts";
import type { Site } from "#core/site/site.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { expectedRevision, IF_MATCH } from "#service/interlock/interlock-wire.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import type { Call } from "#service/ports.ts";
import { changeOfEngine, changeOfRule, changeOfRules, deletionOfRule, newRule } from "./carry-rules.ts";
import { after, type FollowNeeds, followRule, linesAfter } from "./follow-rule.ts";
import { RULE_LEVEL } from "./rule-caller.ts";
import type { RuleEngine } from "./rule-engine.ts";
import {
  engineSchema,
  logLineSchema,
  newRuleSchema,
  type newScriptSchema,
  parseScript,
  parseSlug,
  renderEngine,
  renderLogLine,
  renderRule,
  ruleChangeSchema,
  ruleNamesSchema,
  ruleSchema,
  scriptChangeSchema,
} from "./rule-wire.ts";
import { changeRules, createRule, deleteRule, requireRule, type SaveRuleNeeds } from "./save-rule.ts";
import { rulesOfSite, type ShownRulesNeeds, showRules, sourceOfRules } from "./shown-rules.ts";

export interface RuleNeeds extends SaveRuleNeeds, ShownRulesNeeds, FollowNeeds {
  readonly ruleEngine: RuleEngine;
}

const tag = "Rules";
const level = RULE_LEVEL;
const base = "/v3/sites/:site_id/rule_engine";
type NewScript = Static<typeof newScriptSchema>;
const engineAnswer = Type.Object({ engine: engineSchema }, { additionalProperties: false });
const ruleAnswer = Type.Object({ rule: ruleSchema }, { additionalProperties: false });
const rulesAnswer = Type.Object({ rule: ruleSchema, rules: Type.Array(ruleSchema) }, { additionalProperties: false });

export function ruleOperations(needs: RuleNeeds): readonly Operation[] {
  return [...engineOperations(needs), ...reading(needs), ...changing(needs), ...switching(needs)];
}

/** Rules run where the devices are: on gateways. */
const siteOf = async (needs: ShownRulesNeeds, call: Call, siteId: string): Promise<Site> =>
  (await sourceOfRules(needs, call, siteId)).site;

async function shown(needs: RuleNeeds, call: Call, rule: SiteRule): Promise<Static<typeof ruleSchema>> {
  return renderRule(rule, await showRules(needs, await rulesOfSite(needs, call, rule.siteId), [rule]));
}

function engineOperations(needs: RuleNeeds): readonly Operation[] {
  const switchTo = (state: EngineState) => async (call: Call & { readonly params: { readonly site_id: string } }) => {
    const site = await siteOf(needs, call, call.params.site_id);
    const trail = auditTrail(needs, call, { target: { siteId: site.id }, details: { state } });
    await needs.rules.setEngineState(site.id, state, trail);
    needs.ruleEngine.changed();
    return { engine: renderEngine(await rulesOfSite(needs, call, site.id)) };
  };
  return [
    operation({
      method: "GET",
      path: base,
      name: "getRuleEngine",
      summary: "Get the rule engine of a site",
      tag,
      level: "readonly",
      answer: engineAnswer,
      run: async (call) => ({ engine: renderEngine(await rulesOfSite(needs, call, call.params.site_id)) }),
    }),
    operation({
      method: "POST",
      path: `${base}/suspend`,
      name: "suspendRuleEngine",
      summary: "Stop all rules of a site",
      description: "They stay enabled, and start again when the engine is resumed. Their claims end.",
      tag,
      level,
      atGateway: changeOfEngine(needs, "SUSPENDED"),
      answer: engineAnswer,
      run: switchTo("SUSPENDED"),
    }),
    operation({
      method: "POST",
      path: `${base}/resume`,
      name: "resumeRuleEngine",
      summary: "Start the enabled rules of a site",
      tag,
      level,
      atGateway: changeOfEngine(needs, "ACTIVE"),
      answer: engineAnswer,
      run: switchTo("ACTIVE"),
    }),
  ];
}

function reading(needs: RuleNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: `${base}/rules`,
      name: "listRules",
      summary: "List the rules of a site, by slug",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("rules", ruleSchema),
      run: async (call) => {
        const known = await rulesOfSite(needs, call, call.params.site_id);
        const page = await needs.rules.list(known.site.id, pageOf(call.query));
        const shownRules = await showRules(needs, known, page.items);
        return renderPage("rules", page, (rule) => renderRule(rule, shownRules));
      },
    }),
    operation({
      method: "GET",
      path: `${base}/rules/:rule`,
      name: "getRule",
      summary: "Get a rule",
      description: "By id or slug.",
      tag,
      level: "readonly",
      answer: ruleAnswer,
      run: async (call) => {
        const { id } = await siteOf(needs, call, call.params.site_id);
        return { rule: await shown(needs, call, await requireRule(needs, id, call.params.rule)) };
      },
    }),
    operation({
      method: "GET",
      path: `${base}/rules/:rule/logs`,
      name: "listRuleLogs",
      summary: "Read the log of a rule",
      description:
        "The newest 1,000 lines are kept; newest first. As a WebSocket, this path sends each new line as a message.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: { ...paging, after },
      answer: listAnswer("logs", logLineSchema),
      run: async (call) => {
        const { id } = await siteOf(needs, call, call.params.site_id);
        const rule = await requireRule(needs, id, call.params.rule);
        if (call.query.after !== undefined) return await linesAfter(needs, rule.id, call.query);
        return renderPage("logs", await needs.rules.log(rule.id, pageOf(call.query)), renderLogLine);
      },
      live: async (call) => {
        const { site, reportedBy } = await sourceOfRules(needs, call, call.params.site_id);
        const rule = await requireRule(needs, site.id, call.params.rule);
        return await followRule(needs, call, { rule, gatewayId: reportedBy });
      },
    }),
  ];
}

function changing(needs: RuleNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: `${base}/rules`,
      name: "createRule",
      summary: "Create a rule",
      description: "It runs at once unless `disable` is true. It acts with level owner on this site alone.",
      tag,
      level,
      atGateway: newRule(needs),
      body: newRuleSchema,
      answer: ruleAnswer,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        const { slug, script, disable = false } = call.body;
        const given = { siteId, slug: parseSlug(slug), script: parseScript(script), disabled: disable };
        return { rule: await shown(needs, call, await createRule(needs, call, given)) };
      },
    }),
    operation({
      method: "PATCH",
      path: `${base}/rules/:rule`,
      name: "updateRule",
      summary: "Give a rule another slug",
      description: "A rule that runs goes on.",
      tag,
      level,
      atGateway: changeOfRule(needs, ({ slug }) => parseSlug(String(slug))),
      headers: IF_MATCH,
      body: ruleChangeSchema,
      answer: ruleAnswer,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        const change = { expected: expectedRevision(call), slug: parseSlug(call.body.slug) };
        const [rule] = await changeRules(needs, call, { siteId, names: [call.params.rule], change });
        return { rule: await shown(needs, call, rule) };
      },
    }),
    operation({
      method: "DELETE",
      path: `${base}/rules/:rule`,
      name: "deleteRule",
      summary: "Delete a rule",
      description: "With its log and what it stored.",
      tag,
      level,
      atGateway: deletionOfRule(needs),
      headers: IF_MATCH,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        await deleteRule(needs, call, { siteId, name: call.params.rule, expected: expectedRevision(call) });
        return {};
      },
    }),
    operation({
      method: "POST",
      path: `${base}/rules/:rule/update_script`,
      name: "updateRuleScript",
      summary: "Replace the script of a rule",
      description: "If it is enabled, it starts anew with the new script.",
      tag,
      level,
      atGateway: changeOfRule(needs, ({ script }) => parseScript(script as NewScript)),
      headers: IF_MATCH,
      body: scriptChangeSchema,
      answer: ruleAnswer,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        const change = { expected: expectedRevision(call), script: parseScript(call.body.script) };
        const [rule] = await changeRules(needs, call, { siteId, names: [call.params.rule], change });
        return { rule: await shown(needs, call, rule) };
      },
    }),
  ];
}

function switching(needs: RuleNeeds): readonly Operation[] {
  const one = (disabled: boolean) =>
    operation({
      method: "POST",
      path: `${base}/rules/:rule/${disabled ? "disable" : "enable"}`,
      name: disabled ? "disableRule" : "enableRule",
      summary: disabled ? "Disable a rule" : "Enable a rule",
      tag,
      level,
      atGateway: changeOfRule(needs),
      headers: IF_MATCH,
      answer: ruleAnswer,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        const change = { expected: expectedRevision(call), disabled };
        const [rule] = await changeRules(needs, call, { siteId, names: [call.params.rule], change });
        return { rule: await shown(needs, call, rule) };
      },
    });
  const batch = (disabled: boolean) =>
    operation({
      method: "POST",
      path: `${base}/rules/batch_${disabled ? "disable" : "enable"}`,
      name: disabled ? "disableRules" : "enableRules",
      summary: disabled ? "Disable rules" : "Enable rules",
      description: "All of them, or none if one does not exist. `rule` is the first of them.",
      tag,
      level,
      atGateway: changeOfRules(needs),
      body: ruleNamesSchema,
      answer: rulesAnswer,
      run: async (call) => {
        const { id: siteId } = await siteOf(needs, call, call.params.site_id);
        const change = { expected: undefined, disabled };
        const changed = await changeRules(needs, call, { siteId, names: call.body.rule_ids, change });
        const known = await showRules(needs, await rulesOfSite(needs, call, siteId), changed);
        return { rule: renderRule(changed[0], known), rules: changed.map((rule) => renderRule(rule, known)) };
      },
    });
  return [one(false), one(true), batch(false), batch(true)];
}
