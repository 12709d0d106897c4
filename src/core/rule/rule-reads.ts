import type { Action, Amount, AttributeRead, Comparison, Condition, DeclarativeRule } from "./rule.ts";

/** What a rule depends on: it has to be looked at again when one of these changes. */
export interface RuleReads {
  readonly attributes: readonly AttributeRead[];
  readonly variables: readonly string[];
  readonly controls: readonly { readonly device: string; readonly control: string }[];
  /** Whose connection or alerts count. */
  readonly devices: readonly string[];
}

export function ruleReads(rule: DeclarativeRule): RuleReads {
  const parts = [
    ...conditionReads(rule.level),
    ...conditionReads(rule.condition),
    ...[...rule.thenActions, ...rule.elseActions].flatMap(actionReads),
  ];
  const unique = <Item>(items: readonly Item[]) => [
    ...new Map(items.map((one) => [JSON.stringify(one), one])).values(),
  ];
  return {
    attributes: unique(parts.flatMap((part) => part.attributes ?? [])),
    variables: unique(parts.flatMap((part) => part.variables ?? [])),
    controls: unique(parts.flatMap((part) => part.controls ?? [])),
    devices: unique(parts.flatMap((part) => part.devices ?? [])),
  };
}

type Reads = Partial<RuleReads>;

export function conditionReads(condition: Condition | undefined): readonly Reads[] {
  if (condition === undefined) return [];
  switch (condition.kind) {
    case "all":
    case "any":
      return condition.conditions.flatMap(conditionReads);
    case "not":
      return conditionReads(condition.condition);
    case "value":
      return [{ attributes: [attributeOf(condition)] }, ...comparisonReads(condition.comparison)];
    case "stale":
      return [{ attributes: [attributeOf({ ...condition, unit: undefined, maxAgeMs: undefined })] }];
    case "variable":
      return [{ variables: [condition.name] }, ...comparisonReads(condition.comparison)];
    case "control":
      return [{ controls: [controlOf(condition)] }, ...comparisonReads(condition.comparison)];
    case "holder":
      return [{ controls: [controlOf(condition)] }];
    case "online":
    case "alert":
      return [{ devices: [condition.device] }];
    case "time":
      return [];
  }
}

const attributeOf = ({ device, attribute, unit, maxAgeMs }: AttributeRead): AttributeRead => ({
  device,
  attribute,
  unit,
  maxAgeMs,
});
const controlOf = ({ device, control }: { device: string; control: string }) => ({ device, control });

function comparisonReads(comparison: Comparison): readonly Reads[] {
  if (comparison.kind === "equals" || comparison.kind === "differs") return [];
  if (comparison.kind === "between") return [comparison.low, comparison.high].flatMap(amountReads);
  return amountReads(comparison.threshold);
}

function amountReads(amount: Amount): readonly Reads[] {
  if (typeof amount === "number") return [];
  const { from } = amount;
  return [from.kind === "variable" ? { variables: [from.name] } : { attributes: [attributeOf(from)] }];
}

function actionReads(action: Action): readonly Reads[] {
  if (action.kind !== "claim" && action.kind !== "set") return [];
  return typeof action.value === "object" ? amountReads(action.value) : [];
}
