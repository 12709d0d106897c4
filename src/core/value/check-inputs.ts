// Checks command arguments and configuration parameters against their declaration. Fills in defaults and reports all
// problems at once.
import type { EnumValue, ValueType } from "#core/blueprint/blueprint.ts";
import { MistakeList } from "#core/mistakes.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { formatProblem } from "#core/value/string-format.ts";
import { valueProblem } from "#core/value/value-problem.ts";

export interface DeclaredInput {
  readonly type: ValueType;
  readonly enum: readonly EnumValue[] | undefined;
  readonly required: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly format: string | undefined;
  readonly default: unknown;
  /** Problems do not repeat a sensitive value. */
  readonly sensitive: boolean;
}

interface InputProblem {
  readonly name: string;
  readonly message: string;
}

export interface CheckedInputs {
  /** Without prototype, in the order of the declaration. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly InputProblem[];
  /** How many there are in addition to those. */
  readonly moreProblems: number;
}

/** Reports what is wrong with a json value under its schema; undefined for a field without one. */
export type JsonCheck = (name: string, value: unknown) => string | undefined;

/** A null counts as not given: the default takes its place, as it is declared. */
export function checkInputs(
  declared: ReadonlyMap<string, DeclaredInput>,
  given: Readonly<Record<string, unknown>>,
  checkJson: JsonCheck,
): CheckedInputs {
  const values: Record<string, unknown> = Object.create(null);
  const problems = new MistakeList<InputProblem>();
  for (const name of Object.keys(given)) {
    if (!declared.has(name)) problems.add(() => ({ name, message: unknownInput(name, [...declared.keys()]) }));
  }
  for (const [name, input] of declared) {
    const value = givenValue(given, name);
    if (value === undefined) {
      if (input.default !== undefined) values[name] = input.default;
      else if (input.required) problems.add(() => ({ name, message: `${name} is required` }));
      continue;
    }
    const message =
      inputProblem(input, value, !problems.isFull) ?? (input.type === "json" ? checkJson(name, value) : undefined);
    if (message !== undefined) {
      problems.add(() => ({ name, message: `${name} ${input.sensitive ? withoutValue(message) : message}` }));
    }
    values[name] = value;
  }
  return { values, problems: problems.listed, moreProblems: problems.more };
}

/** Undefined when it is not given, or null. */
export function givenValue(given: Readonly<Record<string, unknown>>, name: string): unknown {
  return (Object.hasOwn(given, name) ? given[name] : undefined) ?? undefined;
}

function inputProblem(input: DeclaredInput, value: unknown, withHint: boolean): string | undefined {
  const problem = valueProblem(input, value, { withHint });
  if (problem !== undefined) return problem;
  // Only numbers have an order, and only texts a format: on other types both are ignored, and the upload warned.
  if (typeof value === "number" && input.type !== "json") {
    if (input.min !== undefined && value < input.min) return `must be at least ${input.min}, not ${value}`;
    if (input.max !== undefined && value > input.max) return `must be at most ${input.max}, not ${value}`;
  }
  if (input.type === "string" && typeof value === "string" && input.format !== undefined)
    return formatProblem(input.format, value);
  return undefined;
}

function unknownInput(name: string, known: readonly string[]): string {
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name);
  const close = nearestOf(name, known);
  if (close !== undefined) return `there is no ${shown}; did you mean ${close}?`;
  return `there is no ${shown}; ${known.length === 0 ? "none is declared" : `declared: ${known.slice(0, 30).join(", ")}`}`;
}

function withoutValue(message: string): string {
  return message.split(", not ", 1)[0] ?? "does not fit";
}
