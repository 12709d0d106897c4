// Does what a declarative rule wants, by the functions that scripts of rules call. The result is a text for the trace.
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import { say } from "#core/rule/run-phrases.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { RuleHost } from "#service/rule/rule-runner.ts";

export interface CarryOutNeeds {
  readonly host: RuleHost;
  readonly now: () => number;
}

export async function carryOut(needs: CarryOutNeeds, rule: SiteRule, effect: RuleEffect): Promise<string> {
  const { host } = needs;
  const ask = async (name: string, ...args: readonly unknown[]) =>
    host.ask(rule, name, args, { causes: effect.causes });
  switch (effect.kind) {
    case "claim": {
      const { device, control, value, claim: kind } = effect;
      // A rule without a name or a reason is known to people by its slug.
      const reason = effect.reason === rule.id ? `rule ${rule.slug}` : effect.reason;
      // What should have ended already is not claimed any more.
      const lease = Math.max(effect.leaseUntil - needs.now(), 1) / 1000;
      return resultOf(await ask("claim", device, control, value, { lease, kind, reason }), say("claimed"));
    }
    case "release":
      return resultOf(await ask("release", effect.device, effect.control, effect.claim), say("released"));
    case "execute":
      return resultOf(await ask("execute", effect.device, effect.command, effect.arguments, effect.key));
    case "set":
      return resultOf(await ask("set_variable", effect.variable, effect.value), say("was_set"));
    case "notify": {
      const { title, text, severity } = effect;
      return resultOf(await ask("notify", text, { title, severity }, effect.key), say("sent"));
    }
    case "report":
      host.log(rule.id, "warning", effect.message);
      return say("reported");
  }
}

/** Functions answer with a value, or with null and why not. */
function resultOf([value, problem]: readonly unknown[], done?: string): string {
  if (value === null || value === undefined) return String(problem ?? say("nothing"));
  return done ?? String(value);
}
