import { valueProblem } from "#core/value/value-problem.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";

export interface AcceptedTelemetry {
  /** By attribute id; lists as JSON text. */
  readonly accepted: ReadonlyMap<string, number | boolean | string>;
  /** Why a value was left out, by the name it came under. */
  readonly refused: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Leaves out what is undeclared or does not fit, and keeps the rest. Null says nothing, so it is no value. */
export function acceptTelemetry(
  attributes: ReadonlyMap<string, Attribute>,
  values: ReadonlyMap<string, unknown>,
): AcceptedTelemetry {
  const accepted = new Map<string, number | boolean | string>();
  let refused: Map<string, string> | undefined;
  for (const [name, value] of values) {
    if (value === null) continue;
    const attribute = attributes.get(name);
    const problem = attribute === undefined ? "is not declared in the blueprint" : valueProblem(attribute, value);
    if (attribute === undefined || problem !== undefined) {
      refused ??= new Map();
      refused.set(name, problem ?? "");
    } else
      accepted.set(attribute.id, Array.isArray(value) ? JSON.stringify(value) : (value as number | boolean | string));
  }
  return { accepted, refused: refused ?? NONE };
}
