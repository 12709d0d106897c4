import { refuse } from "#core/app-error.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { RuleScript, SiteRule } from "#core/rule/site-rule.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { RuleChange } from "#service/ports/rule-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { RuleEngine } from "./rule-engine.ts";
import { rulesThatRequire } from "./rule-modules.ts";

export interface SaveRuleNeeds extends Pick<Needs, "rules" | "now" | "newId"> {
  readonly ruleEngine: Pick<RuleEngine, "changed" | "runnerOf">;
}

interface NewRule {
  readonly siteId: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly script: RuleScript;
}

export async function createRule(needs: SaveRuleNeeds, call: Call, given: NewRule): Promise<SiteRule> {
  await requireCode(needs, given.siteId, given.script);
  const now = needs.now();
  const rule = { id: needs.newId(), ...given, revision: 1, createdAt: now, updatedAt: now };
  await needs.rules.insert(rule, trailOf(needs, call, rule));
  needs.ruleEngine.changed();
  return rule;
}

type Change = Pick<RuleChange, "expected" | "slug" | "script" | "disabled">;

/** By id or slug; all of them or none. */
export async function changeRules(
  needs: SaveRuleNeeds,
  call: Call,
  { siteId, names, change }: { readonly siteId: string; readonly names: readonly string[]; readonly change: Change },
): Promise<readonly [SiteRule, ...SiteRule[]]> {
  if (change.script !== undefined) await requireCode(needs, siteId, change.script);
  const ids: string[] = [];
  for (const name of names) {
    const rule = await requireRule(needs, siteId, name);
    if (change.slug !== undefined && change.slug !== rule.slug) await requireUnused(needs, rule);
    ids.push(rule.id);
  }
  const trail = auditTrail(needs, call, { target: { siteId }, details: detailsOf(ids, names, change) });
  const [first, ...others] = (await needs.rules.change({ siteId, ids, at: needs.now(), ...change }, trail)) ?? [];
  if (first === undefined) throw noRule(names[0] ?? "");
  needs.ruleEngine.changed();
  return [first, ...others];
}

export async function deleteRule(
  needs: SaveRuleNeeds,
  call: Call,
  { siteId, name, expected }: { readonly siteId: string; readonly name: string; readonly expected: number | undefined },
): Promise<void> {
  const rule = await requireRule(needs, siteId, name);
  await requireUnused(needs, rule);
  if (!(await needs.rules.delete({ siteId, id: rule.id, expected }, trailOf(needs, call, rule)))) throw noRule(name);
  needs.ruleEngine.changed();
}

/** What runs goes on: a module that enabled rules require keeps its name, and is not deleted. */
async function requireUnused(needs: SaveRuleNeeds, rule: SiteRule): Promise<void> {
  const users = rule.script.runtimeVersion === "V3" ? await rulesThatRequire(needs, rule) : [];
  if (users.length === 0) return;
  const more = users.length > MOST_USERS ? ` and ${users.length - MOST_USERS} more` : "";
  const message = `${users.slice(0, MOST_USERS).join(", ")}${more} require the rule ${rule.slug}: change or disable them first`;
  throw refuse("conflict", message);
}

const MOST_USERS = 5;

export async function requireRule(needs: Pick<Needs, "rules">, siteId: string, name: string): Promise<SiteRule> {
  const rule = await needs.rules.find(siteId, name);
  if (rule === undefined) throw noRule(name);
  return rule;
}

const noRule = (name: string) => refuse("not_found", `the site has no rule ${JSON.stringify(name.slice(0, 80))}`);

const MOST_NAMED = 20;
const MOST_DIAGNOSTICS = 100;

function detailsOf(ids: readonly string[], names: readonly string[], { slug, script, disabled }: Change) {
  return {
    rule_ids: ids.slice(0, MOST_NAMED),
    rules: names.slice(0, MOST_NAMED),
    ...(slug === undefined ? {} : { slug }),
    ...(disabled === undefined ? {} : { disabled }),
    ...(script === undefined ? {} : { runtime_version: script.runtimeVersion, code_bytes: bytesOf(script) }),
  };
}

const bytesOf = ({ code }: RuleScript) => Buffer.byteLength(code, "base64");

function trailOf(needs: SaveRuleNeeds, call: Call, { id, siteId, slug, script }: SiteRule) {
  const details = { rule_id: id, slug, runtime_version: script.runtimeVersion, code_bytes: bytesOf(script) };
  return auditTrail(needs, call, { target: { siteId }, details });
}

/** Refuses what its runner finds errors in, and versions that nothing runs. */
async function requireCode(needs: SaveRuleNeeds, siteId: string, script: RuleScript) {
  const all = await diagnosticsOf(needs, siteId, script);
  const errors = all.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const said = errors.map(({ message, line, column }) => `line ${line}, column ${column}: ${message}`);
  throw refuse("invalid_body", said.slice(0, MOST_NAMED).join("; "), {
    pointer: "/script/code",
    diagnostics: all.slice(0, MOST_DIAGNOSTICS),
  });
}

/** Everything that is wrong with the text, in its order. */
export async function diagnosticsOf(
  { ruleEngine }: { readonly ruleEngine: Pick<RuleEngine, "runnerOf"> },
  siteId: string,
  { runtimeVersion, code }: RuleScript,
) {
  const runner = ruleEngine.runnerOf(runtimeVersion);
  if (runner === undefined) {
    const message = `rules of runtime version ${runtimeVersion} cannot run here`;
    throw refuse("invalid_body", message, { pointer: "/script/runtime_version" });
  }
  return (await runner.check(siteId, Buffer.from(code, "base64"))).map(renderDiagnostic);
}
