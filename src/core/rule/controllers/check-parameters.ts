// Parameters as somebody gave them, compared with what a controller declares. All mistakes at once.
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import type { Controller, Given, Parameter, ParameterKind, ParameterProblem, ParameterValue } from "./controller.ts";

const LONGEST_PARAMETER = 200;
export const MOST_PARAMETERS = 40;
/** As everywhere in a rule. */
const LONGEST_MS = 7 * 86_400_000;

interface Checked {
  /** Undefined when something is wrong. */
  readonly given: Given | undefined;
  readonly problems: readonly ParameterProblem[];
}

export function checkParameters(
  { parameters }: Pick<Controller, "parameters">,
  values: Readonly<Record<string, unknown>>,
): Checked {
  const names = parameters.map(({ name }) => name);
  const unknown = Object.keys(values)
    .filter((name) => !names.includes(name))
    .map((name) => ({ parameter: name, message: unknownProblem(name, names) }));
  const known = new Map<string, ParameterValue>();
  const problems = parameters.flatMap((parameter) => {
    const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined;
    const isMissing = value === undefined || value === null || value === "";
    if (isMissing && parameter.default !== undefined) known.set(parameter.name, parameter.default);
    if (isMissing) return parameter.required === true ? [problemOf(parameter, "is needed")] : [];
    const message = valueProblem(parameter, value);
    if (message !== undefined) return [problemOf(parameter, message)];
    known.set(parameter.name, value as ParameterValue);
    return [];
  });
  const all = [...unknown, ...problems];
  return { given: all.length === 0 ? givenOf(names, known) : undefined, problems: all };
}

const problemOf = ({ name }: Parameter, message: string): ParameterProblem => ({
  parameter: name,
  message: `${name} ${message}`,
});

function unknownProblem(name: string, names: readonly string[]): string {
  const meant = nearestOf(name, names);
  return `there is no parameter ${JSON.stringify(name.slice(0, 80))}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

/** What is wrong with a value, as the end of a sentence that begins with the name of the parameter. */
function valueProblem(parameter: Parameter, value: unknown): string | undefined {
  const { kind, choices = [] } = parameter;
  const said = typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value);
  switch (kind) {
    case "number":
    case "integer":
      return numberProblem(parameter, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : `must be true or false, not ${said}`;
    case "choice":
      return typeof value === "string" && choices.includes(value)
        ? undefined
        : `must be one of ${choices.join(", ")}, not ${said}`;
    case "duration": {
      if (typeof value !== "string") return `must be a duration such as 5m, not ${said}`;
      const duration = parseDuration(value);
      if (duration === undefined) return durationProblem(value);
      return toMilliseconds(duration) > LONGEST_MS ? `must be at most 7d, not ${said}` : undefined;
    }
    case "attribute":
    case "calendar":
    case "command":
    case "control":
    case "device":
    case "text":
    case "time":
    case "variable":
      return typeof value === "string" ? textProblem(kind, value) : `must be a text, not ${said}`;
  }
}

function numberProblem({ kind, min, max, unit }: Parameter, value: unknown): string | undefined {
  const of = unit === undefined ? "" : ` ${unit}`;
  if (typeof value !== "number" || !Number.isFinite(value))
    return `must be a number${of === "" ? "" : ` of${of}`}, not ${JSON.stringify(value)?.slice(0, 80)}`;
  if (kind === "integer" && !Number.isInteger(value)) return `must be a whole number, not ${value}`;
  if (min !== undefined && value < min) return `must be at least ${min}${of}, not ${value}`;
  if (max !== undefined && value > max) return `must be at most ${max}${of}, not ${value}`;
  return undefined;
}

const DAY_TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|(?:sunrise|sunset)(?:[+-](?:\d{1,2}h)?(?:\d{1,3}m)?)?)$/;

function textProblem(kind: ParameterKind, value: string): string | undefined {
  if (value.length > LONGEST_PARAMETER) return `has at most ${LONGEST_PARAMETER} characters`;
  if (/\p{Cc}/u.test(value) || !value.isWellFormed() || value.trim() === "") return "must be a text on one line";
  if (kind === "time" && !DAY_TIME.test(value)) return "must be a time of day such as 07:30, sunset or sunrise-30m";
  if (kind === "variable" && !VARIABLE_NAME.test(value))
    return "must be the name of a variable: letters, digits and _, and no digit first";
  return undefined;
}

function givenOf(names: readonly string[], known: ReadonlyMap<string, ParameterValue>): Given {
  const find = (name: string): ParameterValue | undefined => {
    if (!names.includes(name)) throw new Error(`the controller has no parameter ${name}`);
    return known.get(name);
  };
  return {
    has: (name) => find(name) !== undefined,
    text: (name) => String(find(name) ?? ""),
    number: (name) => Number(find(name) ?? 0),
    flag: (name) => find(name) === true,
  };
}
