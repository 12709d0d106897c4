// How a cloud has the rules of a gateway's site changed: the gateway that runs them makes the change. All of it waits for a gateway
// that is away, except for a new rule: only the gateway can check its code, and who makes one wants to see it run.
import { refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { ComparedRecord } from "#core/link/asked-change.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { expectedRevision } from "#service/interlock/interlock-wire.ts";
import { siteOfPath } from "#service/operation/find-place.ts";
import type { AnyCall, CarriedChange, Place } from "#service/operation/operation.ts";
import type { Static } from "#service/operation/schema.ts";
import { renderEngine, renderRule, type ruleSchema } from "./rule-wire.ts";
import { requireRule } from "./save-rule.ts";
import { rulesOfSite, type ShownRulesNeeds, showRules } from "./shown-rules.ts";

const carried = (compares: ComparedRecord) => ({ by: "gateway", place: siteOfPath, waits: true, compares }) as const;

const ruleOf = (call: AnyCall): string => (call.params as { readonly rule: string }).rule;
const bodyOf = (call: AnyCall): Payload => call.body as Payload;

/** What a cloud has of these rules, by ids. Those that it has not got yet are left out. */
async function shownCopies(
  needs: ShownRulesNeeds,
  call: AnyCall,
  { siteId, ids }: { readonly siteId: string; readonly ids: readonly string[] },
): Promise<readonly Static<typeof ruleSchema>[]> {
  const known = await rulesOfSite(needs, call, siteId);
  const found = await Promise.all(ids.map((id) => needs.rules.find(siteId, id)));
  const copies = found.filter((rule) => rule !== undefined);
  const shown = await showRules(needs, known, copies);
  return copies.map((rule) => renderRule(rule, shown));
}

function idIn(answer: Payload | undefined): string | undefined {
  const rule: unknown = answer?.["rule"];
  const id: unknown = typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
  return typeof id === "string" ? id : undefined;
}

async function currentRule(needs: ShownRulesNeeds, call: AnyCall, place: Place & { readonly id: string }) {
  const [rule] = await shownCopies(needs, call, { siteId: place.siteId, ids: [place.id] });
  return rule === undefined ? {} : { rule };
}

/** The gateway may have given the rule another slug meanwhile, so it is named by its id. */
async function idOf(needs: ShownRulesNeeds, siteId: string, name: string): Promise<string> {
  return (await needs.rules.find(siteId, name))?.id ?? name;
}

async function requireRevision(needs: ShownRulesNeeds, call: AnyCall, siteId: string): Promise<SiteRule> {
  const rule = await requireRule(needs, siteId, ruleOf(call));
  const expected = expectedRevision(call);
  if (expected === undefined || expected === rule.revision) return rule;
  const { revision } = rule;
  throw refuse("conflict", `the rule has revision ${revision} here, not ${expected}; read it again`, { revision });
}

/** A change of one rule. `check` refuses what is wrong with the body. */
export function changeOfRule(needs: ShownRulesNeeds, check: (body: Payload) => void = () => {}): CarriedChange {
  return {
    ...carried("rule"),
    expected: (call) => expectedRevision(call),
    shown: (call) => ({ rule: ruleOf(call).slice(0, 80), ...slugIn(bodyOf(call)) }),
    named: async (call, { siteId }) => ({ params: { rule: await idOf(needs, siteId, ruleOf(call)) } }),
    async check(call, { siteId }) {
      await requireRevision(needs, call, siteId);
      check(bodyOf(call));
    },
    current: async (call, { siteId }, answer) =>
      await currentRule(needs, call, { siteId, id: idIn(answer) ?? ruleOf(call) }),
  };
}

/** The code is shown nowhere but in the rule. */
const slugIn = (body: Payload | undefined) => (typeof body?.["slug"] === "string" ? { slug: body["slug"] } : {});

export function deletionOfRule(needs: ShownRulesNeeds): CarriedChange {
  const { current: _, ...change } = changeOfRule(needs);
  return change;
}

export function newRule(needs: ShownRulesNeeds): CarriedChange {
  return {
    ...carried("rule"),
    waits: false,
    shown: (call) => slugIn(bodyOf(call)),
    current: async (call, { siteId }, answer) =>
      await currentRule(needs, call, { siteId, id: idIn(answer) ?? String(bodyOf(call)["slug"]) }),
  };
}

const namesIn = (call: AnyCall) => (call.body as { readonly rule_ids: readonly string[] }).rule_ids;

export function changeOfRules(needs: ShownRulesNeeds): CarriedChange {
  return {
    ...carried("rule"),
    shown: (call) => ({ rules: namesIn(call).slice(0, 20) }),
    named: async (call, { siteId }) => ({
      body: { rule_ids: await Promise.all(namesIn(call).map((name) => idOf(needs, siteId, name))) },
    }),
    async check(call, { siteId }) {
      for (const name of namesIn(call)) await requireRule(needs, siteId, name);
    },
    async current(call, { siteId }) {
      const ids = await Promise.all(namesIn(call).map((name) => idOf(needs, siteId, name)));
      const rules = await shownCopies(needs, call, { siteId, ids });
      return rules[0] === undefined ? {} : { rule: rules[0], rules };
    },
  };
}

export function changeOfEngine(needs: ShownRulesNeeds, state: string): CarriedChange {
  return {
    ...carried("rule_engine"),
    shown: () => ({ state }),
    async current(call, { siteId }) {
      const known = await rulesOfSite(needs, call, siteId);
      return { engine: renderEngine(known) };
    },
  };
}
