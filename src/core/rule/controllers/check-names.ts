// Whether the site has what parameters name. What nobody knows is not refused.
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import { nearestOf } from "#core/text/nearest.ts";
import type { Controller, Given, Parameter, ParameterProblem } from "./controller.ts";

export function checkNames(
  { parameters }: Pick<Controller, "parameters">,
  given: Given,
  site: RuleSite,
): readonly ParameterProblem[] {
  return parameters.flatMap((parameter) => {
    const known = given.has(parameter.name) ? knownNames(parameter, given, site) : undefined;
    const word = given.text(parameter.name);
    if (known === undefined || known.names.includes(word)) return [];
    const meant = nearestOf(word, known.names);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    return [{ parameter: parameter.name, message: `${known.what} ${JSON.stringify(word)}${hint}` }];
  });
}

/** Undefined: the value is no name, or nobody knows what there is. */
function knownNames({ kind, of = "" }: Parameter, given: Given, site: RuleSite) {
  if (kind === "device") return { what: "the site has no device", names: [...site.devices.keys()] };
  if (kind === "variable" && site.variables !== undefined)
    return { what: "the site has no variable", names: [...site.variables] };
  const device = of !== "" && given.has(of) ? site.devices.get(given.text(of)) : undefined;
  if (device === undefined) return undefined;
  const names = namesOf(device, kind);
  return names && { what: `${given.text(of)} has no ${kind}`, names: [...names] };
}

function namesOf(device: RuleSiteDevice, kind: Parameter["kind"]): Iterable<string> | undefined {
  if (kind === "attribute") return device.attributes.keys();
  if (kind === "control") return device.controls.keys();
  return kind === "command" ? device.commands?.keys() : undefined;
}
