import { RULE_CALLER } from "#core/control/claim.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { Call } from "#service/ports.ts";

/**
 * A rule acts with the level that changing rules takes, on its own site alone. So nobody gets more rights by a rule than they
 * have without it.
 */
export const RULE_LEVEL = "owner";

export function callOfRule(
  { id, siteId, slug }: Pick<SiteRule, "id" | "siteId" | "slug">,
  operation: string,
  causes?: readonly string[] | undefined,
): Call {
  const caller = {
    tokenId: `${RULE_CALLER}${id}`,
    tokenName: `rule ${slug}`,
    level: RULE_LEVEL,
    sites: new Set([siteId]),
  } as const;
  return { caller, operation, requestId: `${RULE_CALLER}${id}`, remoteAddress: "rule", door: "rule", causes };
}
