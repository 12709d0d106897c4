// For editors of rules: what is wrong with a text, and what it can name.
import type { Device } from "#core/device/device.ts";
import { pricedDirections } from "#core/energy/price-book.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { strict } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { ruleDiagnosticSchema, ruleNamesAnswer } from "./check-wire.ts";
import { type KnownSiteNeeds, readableAttributes } from "./known-site.ts";
import { type RuleSiteNeeds, requireRuleSite } from "./require-rule-site.ts";
import { RULE_LEVEL } from "./rule-caller.ts";
import type { RuleEngine } from "./rule-engine.ts";
import { newScriptSchema, parseScript } from "./rule-wire.ts";
import { diagnosticsOf } from "./save-rule.ts";

export interface CheckNeeds extends RuleSiteNeeds, KnownSiteNeeds, Pick<Needs, "profiles"> {
  readonly ruleEngine: Pick<RuleEngine, "runnerOf">;
}

const tag = "Rules";
const base = "/v3/sites/:site_id/rule_engine";

export function checkOperations(needs: CheckNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: `${base}/check`,
      name: "checkRule",
      summary: "Check the text of a rule",
      description:
        "Stores nothing. The text is compared with what the site has: devices, attributes, commands, controls, alerts, variables. A rule with errors cannot be stored.",
      tag,
      level: RULE_LEVEL,
      atGateway: askedOfGateway,
      body: strict("RuleCheck", { script: newScriptSchema }),
      answer: Type.Object({ diagnostics: Type.Array(ruleDiagnosticSchema) }, { additionalProperties: false }),
      run: async (call) => {
        const { id } = await requireRuleSite(needs, call, call.params.site_id);
        return { diagnostics: await diagnosticsOf(needs, id, parseScript(call.body.script)) };
      },
    }),
    operation({
      method: "GET",
      path: `${base}/names`,
      name: "listRuleNames",
      summary: "List what rules of a site can name",
      description:
        "For editors: devices with what they have, as far as the token may read it, variables, calendars and prices. Pages are of devices.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: paging,
      answer: ruleNamesAnswer,
      run: async (call) => {
        const { id } = await requireRuleSite(needs, call, call.params.site_id);
        const page = await needs.devices.list({ scope: new Set([id]) }, pageOf(call.query));
        const variables = await needs.rules.variables(id);
        return {
          devices: await Promise.all(page.items.map((device) => namesOf(needs, call, device))),
          total_count: page.total,
          variables: variables.map(({ name, value }) => ({ name, value })),
          calendars: (await needs.calendars.ofSite(id)).map(({ name }) => name),
          prices: [...pricedDirections((await needs.tariffs.find(id))?.tariff)],
        };
      },
    }),
  ];
}

async function namesOf(needs: CheckNeeds, { caller }: Call, device: Device) {
  const { id, slug, name } = device;
  const blueprint = await deviceBlueprint(needs, device);
  const nothing = { category: null, profiles: [], attributes: [], commands: [], controls: [], alerts: [] };
  if (blueprint === undefined) return { id, slug, name, ...nothing };
  const controls = await needs.controlling.controlsOfDevice(device);
  const known = (limit: number) => (Number.isFinite(limit) ? limit : null);
  return {
    ...{ id, slug, name, category: blueprint.category ?? null },
    profiles: [...needs.profiles.resolve(blueprint.implements)],
    attributes: readableAttributes(blueprint, caller.level).map((one) => ({
      ...{ name: one.id, display_name: one.displayName, type: one.type, unit: one.unit ?? null },
    })),
    commands: [...blueprint.commands.values()].map((one) => ({ name: one.id, display_name: one.displayName })),
    controls: [...controls.values()].map((one) => ({
      ...{ name: one.id, display_name: one.displayName, unit: one.unit ?? null },
      ...{ min: known(one.min), max: known(one.max) },
    })),
    alerts: [...blueprint.alerts.values()].map((one) => ({ id: one.id, display_name: one.displayName })),
  };
}
