// Ready controllers: rules that people set up by parameters. They make texts; creating the rule is the business of `createRule`.
import { refuse } from "#core/app-error.ts";
import { isSlug, SLUG_RULE } from "#core/device/slug.ts";
import { CONTROLLERS, controllerOf } from "#core/rule/controllers/all-controllers.ts";
import { renderController as renderText } from "#core/rule/controllers/render-controller.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { controllerSchema, renderController, renderedSchema, renderRequestSchema } from "./controller-wire.ts";
import { type KnownSiteNeeds, knownSite } from "./known-site.ts";
import { requireRuleSite } from "./require-rule-site.ts";
import { RULE_LEVEL } from "./rule-caller.ts";
import type { RuleNeeds } from "./rule-operations.ts";

const tag = "Rules";
const base = "/v3/sites/:site_id/rule_engine/controllers";

export type ControllerNeeds = RuleNeeds & KnownSiteNeeds;

export function controllerOperations(needs: ControllerNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: base,
      name: "listControllers",
      summary: "List the ready controllers",
      description: "Rules that are set up by parameters instead of code: what each does, and its parameters.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      answer: Type.Object({ controllers: Type.Array(controllerSchema) }, { additionalProperties: false }),
      run: async (call) => {
        await requireRuleSite(needs, call, call.params.site_id);
        return { controllers: CONTROLLERS.map(renderController) };
      },
    }),
    operation({
      method: "POST",
      path: `${base}/:controller/render`,
      name: "renderController",
      summary: "Write the rule of a controller",
      description:
        "Stores nothing: what is wrong with the parameters is in the answer, all at once. Give the text to `createRule` with language `yaml`.",
      tag,
      level: RULE_LEVEL,
      atGateway: askedOfGateway,
      body: renderRequestSchema,
      answer: renderedSchema,
      run: async (call) => {
        const { id: siteId } = await requireRuleSite(needs, call, call.params.site_id);
        const controller = controllerOf(call.params.controller);
        if (controller === undefined) {
          const known = CONTROLLERS.map(({ id }) => id).join(", ");
          throw refuse("not_found", `there is no such controller; there are ${known}`);
        }
        const { slug, parameters } = call.body;
        const site = await knownSite(needs, siteId);
        const { text, problems } = renderText(controller, parameters, site);
        const diagnostics = problems.map(({ parameter, message }) => ({
          pointer: `/parameters/${parameter}`,
          message,
        }));
        if (slug !== undefined && !isSlug(slug)) diagnostics.unshift({ pointer: "/slug", message: SLUG_RULE });
        return {
          script: text === undefined || diagnostics.length > 0 ? null : text,
          slug: slug ?? (await freeSlug(needs, siteId, controller.id)),
          diagnostics,
        };
      },
    }),
  ];
}

/** `surplus-charging`, or `surplus-charging-2` if there is one already. */
async function freeSlug({ rules }: Pick<RuleNeeds, "rules">, siteId: string, controller: string): Promise<string> {
  const slug = controller.replaceAll("_", "-");
  for (let n = 2, free = slug; ; n += 1) {
    if ((await rules.find(siteId, free)) === undefined) return free;
    free = `${slug}-${n}`;
  }
}
