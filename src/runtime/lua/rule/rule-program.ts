import type { ScriptProgram } from "#core/lua/script-program.ts";
import { isRuleLibrary, type RuleModules } from "#core/rule/rule-modules.ts";
import type { FoundModule } from "#drivers/find-module.ts";

const fileOf = (slug: string): string => `${slug}.lua`;

/** The script of a rule with its modules: each is a file by the slug of its rule. */
export function ruleProgram(
  entry: string,
  source: Uint8Array | string,
  { texts, problems }: RuleModules,
): ScriptProgram {
  const files = [...texts].map(([slug, bytes]) => [fileOf(slug), bytes] as const);
  const modules = new Map<string, Uint8Array | string>([...files, [entry, source]]);
  return { entry, modules, missing: problems, nodebug: false, host: "rule" };
}

/** Where `require(name)` leads in a rule. Nothing but the slug of a rule names one: there are no folders. */
export function findRuleModule({ entry, modules, missing }: ScriptProgram, name: string): FoundModule {
  if (isRuleLibrary(name)) return { library: name };
  const path = fileOf(name);
  if (entry === path || entry.endsWith(`/${path}`)) return { path: entry };
  if (modules.has(path)) return { path };
  return { tried: `: ${missing?.get(name) ?? NOT_WRITTEN}` };
}

const NOT_WRITTEN = "the modules of a rule are those whose names it writes down, as in require('prices')";
