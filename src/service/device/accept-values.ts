import { type AccessLevel, allows } from "#core/access/level.ts";
import type { EnumValue, TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import { byName } from "#core/value/by-name.ts";
import { valueProblem } from "#core/value/value-problem.ts";

interface Declared {
  readonly id: string;
  readonly type: ValueType | TelemetryType;
  readonly enum: readonly EnumValue[] | undefined;
  readonly aliases: readonly string[];
  readonly accessLevel: AccessLevel;
}

export interface AcceptedValues {
  readonly accepted: ReadonlyMap<string, unknown>;
  /** Why a value was dropped, by the name that the device used. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Drops values that are undeclared or do not fit their type or enum, and keeps the rest of the message. Reasons show no
 * value that `reader` may not read.
 */
export function acceptValues(
  declared: ReadonlyMap<string, Declared>,
  values: ReadonlyMap<string, unknown>,
  reader: AccessLevel = "readonly",
): AcceptedValues {
  const accepted = new Map<string, unknown>();
  const refused = new Map<string, string>();
  const find = byName(declared);
  for (const [name, value] of values) {
    const attribute = find(name);
    if (attribute === undefined) refused.set(name, "is not declared in the blueprint");
    else if (value !== null) {
      const problem = valueProblem(attribute, value, { isShown: allows(reader, attribute.accessLevel) });
      if (problem === undefined) accepted.set(attribute.id, value);
      else refused.set(name, problem);
    }
  }
  return { accepted, refused };
}
