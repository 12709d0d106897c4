import type { TestedScript } from "#core/rule/tested-script.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { cronProblem } from "#service/schedule/next-time.ts";
import type { RuleRunNeeds } from "./run-rule-scenario.ts";
import { testedYaml } from "./tested-yaml.ts";

/** The rule of each scenario anew. Undefined: its text has errors. */
export async function openRule(script: TestedScript): Promise<RuleRunNeeds["open"] | undefined> {
  if (script.language === "lua") return (await import("./open-script.ts")).openScript(script);
  const { rule } = parseRule(script.text, { cronProblem });
  return rule && ((given) => testedYaml({ rule, ...given }));
}
