// What a rule would have done with the stored past.
import { refuse } from "#core/app-error.ts";
import { type RuleScript, VARIABLE_NAME } from "#core/rule/site-rule.ts";
import type { Shares } from "#core/share/shares.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { parseInstant } from "#core/time/instant.ts";
import type { Controls } from "#service/control/controls.ts";
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { knownDevice } from "#service/rule/declarative/look-for-rule.ts";
import { type RuleSiteNeeds, requireRuleSite } from "#service/rule/require-rule-site.ts";
import { callOfRule, RULE_LEVEL } from "#service/rule/rule-caller.ts";
import { isVariableValue, VARIABLE_RULE } from "#service/rule/rule-variables.ts";
import { parseScript } from "#service/rule/rule-wire.ts";
import { diagnosticsOf, requireRule, type SaveRuleNeeds } from "#service/rule/save-rule.ts";
import { type DryRun, type DryRunRuleNeeds, dryRunRule } from "./dry-run-rule.ts";
import { type ClaimedControl, dryRunSchema, newDryRunSchema, renderDryRun } from "./dry-run-wire.ts";

export interface DryRunNeeds extends RuleSiteNeeds, DryRunRuleNeeds, Pick<SaveRuleNeeds, "ruleEngine" | "now"> {
  readonly controlling: Pick<Controls, "controlsOfDevice">;
  readonly shares: Pick<Shares, "open">;
}

const LONGEST_MS = 31 * DAY_MS;
/** Each takes a thread for seconds. */
const PLACES = { slots: 2, perToken: 1, perAddress: 2 };

export function dryRunOperations(needs: DryRunNeeds): readonly Operation[] {
  const enter = openCallPlaces(needs.shares, { name: "dry_runs", refusal: callRefusal("dry runs") }, PLACES);
  return [
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/rule_engine/dry_run",
      name: "dryRunRule",
      summary: "Try a rule with the stored past",
      description:
        "Nothing is done: the answer says what the rule would have done, and why. It takes a `script` or the name of a stored `rule`, in YAML, and at most 31 days.",
      tag: "Rules",
      level: RULE_LEVEL,
      atGateway: { ...askedOfGateway, withinMs: 120_000 },
      body: newDryRunSchema,
      answer: Type.Object({ dry_run: dryRunSchema }, { additionalProperties: false }),
      run: async (call) => {
        const site = await requireRuleSite(needs, call, call.params.site_id);
        const script = await scriptOf(needs, site.id, call.body);
        const span = spanOf(call.body, needs.now());
        const variables = variablesOf(call.body.variables ?? {});
        const leave = enter(call);
        try {
          const run = await dryRunRule(needs, call, { site, script, ...span, variables, signal: call.signal() });
          const controls = await controlsOf(needs, site.id, run);
          const controlOf = (device: string, control: string) => controls.get(JSON.stringify([device, control]));
          return { dry_run: renderDryRun({ ...run, from: span.from }, controlOf) };
        } finally {
          leave();
        }
      },
    }),
  ];
}

type Body = Static<typeof newDryRunSchema>;

async function scriptOf(needs: DryRunNeeds, siteId: string, { script, rule }: Body): Promise<RuleScript> {
  if ((script === undefined) === (rule === undefined)) {
    throw refuse("invalid_body", "give either a script or a rule", { pointer: script === undefined ? "" : "/rule" });
  }
  const found = rule === undefined ? undefined : (await requireRule(needs, siteId, rule)).script;
  const chosen = found ?? (script === undefined ? undefined : parseScript(script));
  if (chosen === undefined) throw refuse("invalid_body", "give either a script or a rule", { pointer: "" });
  const diagnostics = found === undefined ? await diagnosticsOf(needs, siteId, chosen) : [];
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return chosen;
  const said = errors
    .slice(0, MOST_NAMED)
    .map(({ message, line, column }) => `line ${line}, column ${column}: ${message}`);
  throw refuse("invalid_body", said.join("; "), { pointer: "/script/code", diagnostics: diagnostics.slice(0, 100) });
}

const MOST_NAMED = 20;

function spanOf(body: Body, now: number): { readonly from: number; readonly to: number } {
  const [from, given] = [timeAt(body, "from"), timeAt(body, "to")];
  // The future has no values.
  const to = Math.min(given, now);
  if (to <= from) throw refuse("invalid_body", "from must be before to, and in the past", { pointer: "/from" });
  if (to - from <= LONGEST_MS) return { from, to };
  throw refuse("invalid_body", "a dry run goes over at most 31 days", { pointer: "/from" });
}

function timeAt(body: Body, field: "from" | "to"): number {
  const at = parseInstant(body[field]);
  if (at !== undefined) return at;
  throw refuse("invalid_body", `${field} must be a time such as 2026-11-18T00:00:00Z`, { pointer: `/${field}` });
}

function variablesOf(given: NonNullable<Body["variables"]>): NonNullable<Body["variables"]> {
  for (const [name, value] of Object.entries(given)) {
    if (VARIABLE_NAME.test(name) && isVariableValue(value)) continue;
    throw refuse("invalid_body", VARIABLE_RULE, { pointer: `/variables/${name.slice(0, 80)}` });
  }
  return given;
}

async function controlsOf(needs: DryRunNeeds, siteId: string, { bands }: DryRun) {
  const call = callOfRule({ id: "dry-run", siteId, slug: "dry-run" }, "dryRunRule");
  const known = new Map<string, ClaimedControl>();
  for (const { device: name, control } of bands) {
    const key = JSON.stringify([name, control]);
    if (known.has(key)) continue;
    const device = await knownDevice(needs, call, name);
    const found = device && (await needs.controlling.controlsOfDevice(device)).get(control);
    if (device !== undefined) known.set(key, { deviceId: device.id, unit: found?.unit });
  }
  return known;
}
