// Two ready controllers that run the demo site from the first minute: the car charges from the sun and slowly at night, and no quarter
// of an hour takes too much from the grid.
import { controllerOf } from "#core/rule/controllers/all-controllers.ts";
import type { ParameterValue } from "#core/rule/controllers/controller.ts";
import { renderController } from "#core/rule/controllers/render-controller.ts";
import type { Call } from "#service/ports.ts";
import { type KnownSiteNeeds, knownSite } from "#service/rule/known-site.ts";
import { createRule, type SaveRuleNeeds } from "#service/rule/save-rule.ts";

export type DemoRulesNeeds = SaveRuleNeeds & KnownSiteNeeds;

interface DemoRule {
  readonly slug: string;
  readonly controller: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

export const DEMO_RULES: readonly DemoRule[] = [
  {
    slug: "surplus-charging",
    controller: "surplus_charging",
    parameters: {
      meter: "grid-meter",
      charger: "wallbox",
      battery: "battery-rack-a",
      night_from: "22:00",
      night_to: "06:00",
    },
  },
  {
    slug: "peak-limit",
    controller: "peak_limit",
    parameters: { meter: "grid-meter", device: "wallbox", limit: 8_000 },
  },
];

/** A rule of somebody's own keeps its slug. */
export async function giveDemoRules(needs: DemoRulesNeeds, call: Call, siteId: string): Promise<void> {
  const site = await knownSite(needs, siteId);
  for (const { slug, controller: id, parameters } of DEMO_RULES) {
    const controller = controllerOf(id);
    const text = controller && renderController(controller, parameters, site).text;
    if (text === undefined || (await needs.rules.find(siteId, slug)) !== undefined) continue;
    const code = Buffer.from(text).toString("base64");
    const script = { code, runtimeVersion: "DECLARATIVE" as const, execInterval: undefined };
    await createRule(needs, { ...call, operation: "createRule" }, { siteId, slug, disabled: false, script });
  }
}
