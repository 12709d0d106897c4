// Scenarios of a rule, played in virtual time. Nothing of the site is read but a stored rule that is named, with the rules that it
// requires, and nothing is changed.
import { refuse } from "#core/app-error.ts";
import { splitTests } from "#core/rule/kept-tests.ts";
import type { TestedScript } from "#core/rule/tested-script.ts";
import type { Shares } from "#core/share/shares.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import type { TestRule } from "#service/ports/test-rule.ts";
import type { Needs } from "#service/ports.ts";
import { type RuleSiteNeeds, requireRuleSite } from "#service/rule/require-rule-site.ts";
import { RULE_LEVEL } from "#service/rule/rule-caller.ts";
import { lookForModules, type RequiringRule } from "#service/rule/rule-modules.ts";
import { parseScript } from "#service/rule/rule-wire.ts";
import { requireRule } from "#service/rule/save-rule.ts";
import { newRuleTestSchema, renderRuleTest, ruleTestSchema } from "./rule-test-wire.ts";

interface RuleTestNeeds extends RuleSiteNeeds, Pick<Needs, "rules"> {
  readonly testRule: TestRule;
  readonly shares: Pick<Shares, "open">;
}

/** Each takes a thread for seconds. */
const PLACES = { slots: 2, perToken: 1, perAddress: 2 };

export function ruleTestOperations(needs: RuleTestNeeds): readonly Operation[] {
  const enter = openCallPlaces(needs.shares, { name: "rule_tests", refusal: callRefusal("tests of rules") }, PLACES);
  return [
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/rule_engine/test",
      name: "testRule",
      summary: "Play scenarios of a rule",
      description:
        "Plays what the scenarios say, in virtual time, and checks what the rule does. It takes a `script`, the name of a stored `rule`, or scenarios that name a ready controller. Without `scenarios` it plays the tests that the rule keeps. Nothing is stored, and no device hears of it.",
      tag: "Rules",
      level: RULE_LEVEL,
      atGateway: { ...askedOfGateway, withinMs: 120_000 },
      body: newRuleTestSchema,
      answer: Type.Object({ test: ruleTestSchema }, { additionalProperties: false }),
      run: async (call) => {
        const site = await requireRuleSite(needs, call, call.params.site_id);
        const script = await scriptOf(needs, site.id, call.body);
        const { filter } = call.body;
        const source = call.body.scenarios ?? keptTests(script);
        const signal = call.signal();
        const leave = enter(call);
        try {
          const task = { script, source, file: undefined, filter, isVerbose: true };
          const result = await needs.testRule(task, signal).catch((error: unknown) => {
            throw signal.aborted ? refuse("request_timeout", "nobody waits for this test any more") : error;
          });
          return { test: renderRuleTest(result) };
        } finally {
          leave();
        }
      },
    }),
  ];
}

async function scriptOf(
  needs: RuleTestNeeds,
  siteId: string,
  { script, rule }: Static<typeof newRuleTestSchema>,
): Promise<TestedScript | undefined> {
  if (script !== undefined && rule !== undefined)
    throw refuse("invalid_body", "give either a script or a rule", { pointer: "/rule" });
  if (script !== undefined) return await testedScript(needs, { siteId, slug: "rule", script: parseScript(script) });
  return rule === undefined ? undefined : await testedScript(needs, await requireRule(needs, siteId, rule));
}

/** What a rule keeps itself is read without the rest of its text, so places are those of the tests. */
function keptTests(script: TestedScript | undefined): string {
  const tests = script === undefined ? "" : splitTests(script.text, script.language).tests;
  if (tests !== "") return tests;
  throw refuse("invalid_body", "the rule keeps no tests; give scenarios", { pointer: "/scenarios" });
}

async function testedScript(needs: RuleTestNeeds, rule: RequiringRule): Promise<TestedScript> {
  const {
    slug,
    script: { code, runtimeVersion, execInterval },
  } = rule;
  const language = runtimeVersion === "V3" ? "lua" : "yaml";
  const interval = execInterval === undefined ? undefined : parseDuration(execInterval);
  return {
    name: `${slug}.${language === "lua" ? "lua" : "yml"}`,
    language,
    text: Buffer.from(code, "base64").toString("utf8"),
    modules: await lookForModules(needs).of(rule),
    intervalMs: interval === undefined ? undefined : toMilliseconds(interval),
  };
}
