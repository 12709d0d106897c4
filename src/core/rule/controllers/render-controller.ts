// From a controller and parameters to the text of a rule. The same parameters always give the same text.
import type { RuleSite } from "#core/rule/rule-site.ts";
import { checkNames } from "./check-names.ts";
import { checkParameters } from "./check-parameters.ts";
import type { Controller, ParameterProblem, ParameterValue, RuleDocument, RuleDraft } from "./controller.ts";
import { withMadeBy } from "./made-by.ts";
import { writeYaml } from "./write-yaml.ts";

export interface RenderedController {
  /** Undefined when something is wrong. */
  readonly text: string | undefined;
  readonly problems: readonly ParameterProblem[];
}

export function renderController(
  controller: Controller,
  values: Readonly<Record<string, unknown>>,
  site?: RuleSite,
): RenderedController {
  const { given, problems } = checkParameters(controller, values);
  if (given === undefined) return { text: undefined, problems };
  const names = site === undefined ? [] : checkNames(controller, given, site);
  const together = [...names, ...(controller.check?.(given, site) ?? [])];
  if (together.length > 0) return { text: undefined, problems: together };
  return {
    text: withMadeBy(writeYaml(documentOf(controller.rule(given, site))), controller.id, plainOf(values)),
    problems: [],
  };
}

/** In the order in which people read a rule. */
function documentOf({ actions, otherwise, ...draft }: RuleDraft): RuleDocument {
  const { name, description, when, for: lasting, if: also, ...times } = draft;
  const started = { name, description, when, for: lasting, if: also };
  // Spelt so because an object with a key `then` looks like a promise.
  return { ...started, ["then" as string]: actions, else: otherwise, ...times };
}

/** Only what was given, so that defaults of a later version apply when the form is saved again. */
function plainOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, ParameterValue>> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return Object.fromEntries(given) as Readonly<Record<string, ParameterValue>>;
}
