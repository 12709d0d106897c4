import type { AttributeRead, Comparison } from "#core/rule/rule.ts";
import { follow, type Trail } from "#manifest/tree.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import { parseUnit } from "#manifest/units.ts";
import { quote } from "#manifest/words.ts";
import { deviceOf, named, type RuleContext } from "./rule-context.ts";

const NUMBERS = ["float", "integer"];

/** Compares an attribute with what the site is known to have. */
export function checkAttribute(
  context: RuleContext,
  trail: Trail,
  given: Pick<AttributeRead, "device" | "attribute" | "unit"> & { readonly isNumber: boolean },
): void {
  const { reporter } = context;
  const { attribute, unit, isNumber } = given;
  const wrong = (key: string, message: string) =>
    reporter.atValue(follow(trail, [key]), { code: "wrong_type", message });
  if (unit !== undefined && parseUnit(unit) === undefined) wrong("unit", `${quote(unit)} is no known unit.`);
  const known = deviceOf(context, given.device);
  if (known === undefined) return;
  const what = `attribute of ${given.device}`;
  if (
    named(context, follow(trail, ["attribute"]), { what, word: attribute, known: known.attributes.keys() }) ===
    undefined
  )
    return;
  const declared = known.attributes.get(attribute);
  if (isNumber && declared !== undefined && !NUMBERS.includes(declared.type))
    wrong("attribute", `${attribute} must be a number here, and is of type ${declared.type}.`);
  if (unit !== undefined && declared?.unit !== undefined && conversionOf(declared.unit, unit) === undefined)
    wrong("unit", `${quote(unit)} does not fit ${attribute}, which is in ${declared.unit}.`);
  if (unit !== undefined && declared !== undefined && declared.unit === undefined)
    wrong("unit", `${attribute} has no unit to convert from. Leave unit out.`);
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  float: ["number"],
  integer: ["number"],
  boolean: ["boolean"],
  string: ["string"],
};

/** Values that the attribute can never have. */
export function checkValues(
  context: RuleContext,
  trail: Trail,
  {
    device,
    attribute,
    comparison,
  }: { readonly device: string; readonly attribute: string; readonly comparison: Comparison },
): void {
  if (comparison.kind !== "equals" && comparison.kind !== "differs") return;
  const declared = deviceOf(context, device)?.attributes.get(attribute);
  const types = declared && TYPES[declared.type];
  const odd = types && comparison.values.find((value) => !types.includes(typeof value));
  if (odd === undefined) return;
  const message = `${attribute} is of type ${declared?.type} and never ${typeof odd === "string" ? quote(odd) : odd}.`;
  context.reporter.atValue(follow(trail, [comparison.kind]), { code: "wrong_type", message });
}
