// Checks against the manifest that apply to every scenario, whatever it expects.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Failure } from "#core/scenario/test-report.ts";
import { nearestOf } from "#core/text/nearest.ts";
import type { JsonCheck } from "#core/value/check-inputs.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import type { JsonChecks } from "#service/blueprint/compile-json-checks.ts";
import { acceptValues } from "#service/device/accept-values.ts";
import { acceptTelemetry } from "#service/telemetry/accept-telemetry.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { Happening, HappeningOf } from "./scenario-event.ts";
import type { RunningCommand } from "./scenario-record.ts";

interface Judged {
  readonly blueprint: Blueprint;
  readonly allowUndeclared: ReadonlySet<string>;
  readonly commands: readonly RunningCommand[];
  readonly json: JsonChecks;
}

/** Every value that does not fit, each kind of misfit once. */
export function checkValues(judged: Judged, happenings: readonly Happening[]): readonly Failure[] {
  const found = new Map<string, Failure>();
  for (const happening of happenings) {
    for (const message of problemsOf(judged, happening)) {
      const before = found.get(message);
      if (before === undefined) found.set(message, { kind: "value", message, at: happening.at });
      else found.set(message, { ...before, count: (before.count ?? 1) + 1 });
    }
  }
  return [...found.values()];
}

function problemsOf(judged: Judged, happening: Happening): readonly string[] {
  if (happening.kind === "telemetry") return telemetryProblems(judged, happening.values);
  if (happening.kind === "properties") return propertyProblems(judged, happening.values);
  const isSuccess = happening.kind === "response" && happening.state === "SUCCEEDED";
  return isSuccess ? responseProblems(judged, happening) : [];
}

function telemetryProblems(
  { blueprint, allowUndeclared }: Judged,
  values: ReadonlyMap<string, unknown>,
): readonly string[] {
  const attributes = attributesOf(blueprint);
  const { refused, alerts } = acceptTelemetry(attributes, values, "system");
  const wrong = [...refused]
    .filter(([name]) => attributes.has(name) || !allowUndeclared.has(name))
    .map(([name, problem]) => withHint(`telemetry ${name} ${problem}`, name, attributes));
  const unknown = [...alerts.values()]
    .flat()
    .filter((name) => !blueprint.alerts.has(name) && !allowUndeclared.has(name))
    .map((name) => withHint(`alert ${name} is not declared in the blueprint`, name, blueprint.alerts));
  return [...wrong, ...unknown];
}

function propertyProblems(
  { blueprint, allowUndeclared, json }: Judged,
  values: ReadonlyMap<string, unknown>,
): readonly string[] {
  const { accepted, refused } = acceptValues(blueprint.properties, values, "system");
  const names = new Map(
    [...blueprint.properties.values()].flatMap(({ id, aliases }) => [id, ...aliases].map((name) => [name, id])),
  );
  const wrong = [...refused]
    .filter(([name]) => names.has(name) || !allowUndeclared.has(name))
    .map(([name, problem]) => withHint(`property ${name} ${problem}`, name, names));
  const misfits = [...accepted].flatMap(([id, value]) => {
    const problem = schemaProblem(json.properties, id, value);
    return problem === undefined ? [] : [`property ${id} ${problem}`];
  });
  return [...wrong, ...misfits];
}

function withHint(message: string, name: string, known: ReadonlyMap<string, unknown>): string {
  const near = known.has(name) ? undefined : nearestOf(name, known.keys());
  return near === undefined ? message : `${message}; did you mean ${near}?`;
}

function responseProblems({ commands, json }: Judged, { id, payload }: HappeningOf<"response">): readonly string[] {
  const command = commands.find((one) => one.id === id)?.command;
  if (command === undefined) return [];
  return [...command.response].flatMap(([name, field]) => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    if (value === undefined || value === null) {
      return field.required ? [`response of ${command.id} has no ${name}, which the manifest requires`] : [];
    }
    const problem = valueProblem(field, value) ?? schemaProblem(json.response(command.id), name, value);
    return problem === undefined ? [] : [`response of ${command.id}: ${name} ${problem}`];
  });
}

/** An empty table of Lua arrives as a list, though the script may mean an object: either may fit. */
function schemaProblem(check: JsonCheck, name: string, value: unknown): string | undefined {
  const problem = check(name, value);
  return problem === undefined || check(name, withEmptyObjects(value)) === undefined ? undefined : problem;
}

function withEmptyObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? {} : value.map(withEmptyObjects);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withEmptyObjects(one)]));
}

/** Which names of each kind a scenario made use of. */
export function exercisedTelemetry(blueprint: Blueprint, happenings: readonly Happening[]): ReadonlySet<string> {
  const attributes = attributesOf(blueprint);
  const sent = new Set<string>();
  for (const happening of happenings) {
    if (happening.kind !== "telemetry") continue;
    for (const name of happening.values.keys()) {
      const attribute = attributes.get(name);
      if (attribute !== undefined && blueprint.telemetry.has(attribute.id)) sent.add(attribute.id);
    }
  }
  return sent;
}
