import type { SiteRule } from "#core/rule/site-rule.ts";
import type { Call } from "#service/ports.ts";

/** A function that scripts of rules call. Arguments and results are plain JSON values. */
export type RuleFunction = (call: Call, args: readonly unknown[], rule: SiteRule) => Promise<readonly unknown[]>;
