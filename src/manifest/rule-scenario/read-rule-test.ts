// From the text of scenarios, and a rule, to what can be played: everything that is wrong with either is reported at once.
import type { Issue } from "#core/blueprint/issue.ts";
import type { ScriptIssue } from "#core/blueprint/script-issue.ts";
import { lintRule } from "#core/lua/lint/lint-scripts.ts";
import { CONTROLLERS, controllerOf } from "#core/rule/controllers/all-controllers.ts";
import { renderController } from "#core/rule/controllers/render-controller.ts";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import type { TestedScript } from "#core/rule/tested-script.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { parseRule, type RuleKnowledge } from "#manifest/rule/parse-rule.ts";
import { parseRuleScenarios, type RuleScenario, type RuleSubject } from "./parse-rule-scenarios.ts";
import type { DeclaredDevice } from "./site.ts";

/** Of a rule in YAML or in Lua. */
type RuleIssue = Issue | ScriptIssue;

export interface RuleTestInput {
  readonly source: string;
  readonly file: string | undefined;
  readonly cronProblem: RuleKnowledge["cronProblem"];
  /** The rule that the scenarios name, if they name none: undefined. A text says why there is no such rule. */
  readonly scriptOf: (file: string | undefined) => TestedScript | string;
}

export interface RuleTestRead {
  /** Undefined when something is wrong. */
  readonly task:
    | { readonly script: TestedScript; readonly source: string; readonly file: string | undefined }
    | undefined;
  /** Of the file with scenarios. */
  readonly issues: readonly Issue[];
  readonly rule:
    | { readonly script: TestedScript /** What keeps it from being played. */; readonly issues: readonly RuleIssue[] }
    | undefined;
}

export function readRuleTest({ source, file, cronProblem, scriptOf }: RuleTestInput): RuleTestRead {
  const { subject, intervalMs, scenarios, issues } = parseRuleScenarios(source, file ?? "scenario");
  if (scenarios.length === 0) return { task: undefined, issues, rule: undefined };
  const site = siteOf(scenarios);
  const script = subject?.kind === "controller" ? madeBy(subject, site) : scriptOf(subject?.value);
  if (typeof script === "string") {
    const start = subject?.place ?? { line: 1, column: 1 };
    const path = subject === undefined ? "" : `/${subject.kind === "file" ? "rule" : "controller"}`;
    const problem: Issue = {
      ...{ code: "unknown_value", severity: "error", message: script, path },
      range: { start, end: start },
    };
    return { task: undefined, issues: [...issues, problem], rule: undefined };
  }
  const wrong = issuesOf(script, { site, cronProblem }).filter(isWrong);
  const tested = { ...script, intervalMs: intervalMs ?? script.intervalMs };
  return {
    task: wrong.length > 0 ? undefined : { script: tested, source, file },
    issues,
    rule: { script, issues: wrong },
  };
}

/** A name that the scenario does not have would only be nil in a script, and the test would show nothing. */
const STOPPING: ReadonlySet<string> = new Set(["lua_unknown_name", "lua_module_missing"]);
const isWrong = ({ severity, code }: RuleIssue): boolean => severity === "error" || STOPPING.has(code);

function madeBy(
  { value: { id, parameters } }: Extract<RuleSubject, { readonly kind: "controller" }>,
  site: RuleSite,
): TestedScript | string {
  const controller = controllerOf(id);
  if (controller === undefined) {
    const names = CONTROLLERS.map((one) => one.id);
    const near = nearestOf(id, names);
    const hint = near === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${near}?`;
    return `There is no controller ${JSON.stringify(id)}. ${hint}`;
  }
  const { text, problems } = renderController(controller, parameters, site);
  if (text === undefined) return `${problems.map(({ message }) => message).join("; ")}.`;
  return { name: `${id} (controller)`, language: "yaml", text, intervalMs: undefined };
}

/** The site as the rule finds it: what a scenario does not say of a device is not there. */
function siteOf(scenarios: readonly RuleScenario[]): RuleSite {
  const [first] = scenarios;
  return {
    devices: new Map([...(first?.devices ?? [])].map(([name, one]) => [name, deviceOf(name, one, scenarios)])),
    variables: undefined,
    calendars: new Set(scenarios.flatMap(({ calendars }) => [...calendars.keys()])),
    prices: new Set(
      scenarios.flatMap(({ tariff, steps }) =>
        [tariff, ...steps.map((step) => step.tariff)].flatMap((one) => [...one.keys()]),
      ),
    ),
    hasLocation: scenarios.every(({ location }) => location !== undefined),
  };
}

function deviceOf(name: string, declared: DeclaredDevice, scenarios: readonly RuleScenario[]): RuleSiteDevice {
  const changes = scenarios.flatMap(({ set, steps }) => [set, ...steps.map((step) => step.set)]);
  const measured = [declared.telemetry, ...changes.map((change) => change.get(name)?.telemetry ?? [])].flatMap(
    (one) => [...one],
  );
  const attributes = new Map<string, { readonly type: string; readonly unit: string | undefined }>();
  for (const [attribute, value] of measured) {
    const isKnown = attributes.has(attribute) && value.kind !== "value";
    const type = value.kind === "value" ? (TYPES[typeof value.value] ?? "float") : "float";
    if (!isKnown) attributes.set(attribute, { type, unit: declared.units.get(attribute) });
  }
  const controls = [...declared.controls].map(
    ([id, { unit, min = -Infinity, max = Infinity }]) => [id, { unit, min, max }] as const,
  );
  return { attributes, controls: new Map(controls), commands: undefined, alerts: undefined };
}

const TYPES: Readonly<Record<string, string>> = { string: "string", boolean: "boolean", number: "float" };

function issuesOf({ language, name, text, modules }: TestedScript, known: RuleKnowledge): readonly RuleIssue[] {
  if (language === "yaml") return parseRule(text, known).issues;
  return lintRule({ file: name, text, site: known.site, modules });
}
