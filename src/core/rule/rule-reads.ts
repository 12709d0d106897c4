import type { Direction } from "#core/energy/rates.ts";
import type { Action, Amount, AttributeRead, Comparison, Condition, DeclarativeRule } from "./rule.ts";

/** What a rule depends on: it has to be looked at again when one of these changes. */
export interface RuleReads {
  readonly attributes: readonly AttributeRead[];
  /** For how long the values of attributes are needed. */
  readonly windows: readonly (Pick<AttributeRead, "device" | "attribute" | "unit"> & { readonly ms: number })[];
  readonly variables: readonly string[];
  readonly controls: readonly { readonly device: string; readonly control: string }[];
  readonly calendars: readonly string[];
  /** Prices of the site's tariff. */
  readonly prices: readonly Direction[];
  /** Whose connection or alerts count. */
  readonly devices: readonly string[];
}

export function ruleReads(rule: DeclarativeRule): RuleReads {
  const parts = [
    ...conditionReads(rule.level),
    ...conditionReads(rule.condition),
    ...rule.moments.map((moment): Reads => (moment.kind === "ended" ? {} : { calendars: moment.except ?? [] })),
    ...[...rule.thenActions, ...rule.elseActions].flatMap(actionReads),
  ];
  const unique = <Item>(items: readonly Item[]) => [
    ...new Map(items.map((one) => [JSON.stringify(one), one])).values(),
  ];
  return {
    attributes: unique(parts.flatMap((part) => part.attributes ?? [])),
    windows: unique(parts.flatMap((part) => part.windows ?? [])),
    variables: unique(parts.flatMap((part) => part.variables ?? [])),
    calendars: unique(parts.flatMap((part) => part.calendars ?? [])),
    prices: unique(parts.flatMap((part) => part.prices ?? [])),
    controls: unique(parts.flatMap((part) => part.controls ?? [])),
    devices: unique(parts.flatMap((part) => part.devices ?? [])),
  };
}

/** Whether something of it may change at any moment. Calendars say themselves when they do. */
export const readsWhatChanges = ({ attributes, variables, controls, devices, prices }: RuleReads): boolean =>
  attributes.length + variables.length + controls.length + devices.length + prices.length > 0;

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
      return [...readsOf(condition), ...comparisonReads(condition.comparison)];
    case "amount":
      return [...amountReads(condition.amount), ...comparisonReads(condition.comparison)];
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
    case "calendar":
      return [{ calendars: [condition.name] }, ...(condition.comparison ? comparisonReads(condition.comparison) : [])];
    case "tariff":
      return [{ prices: [condition.of] }, ...comparisonReads(condition.comparison)];
    case "hours":
      return [{ prices: [condition.of] }];
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

function readsOf(read: AttributeRead, windowMs = read.over?.ms): readonly Reads[] {
  const { device, attribute, unit } = read;
  const windows = windowMs === undefined ? [] : [{ device, attribute, unit, ms: windowMs }];
  return [{ attributes: [attributeOf(read)], windows }];
}

const controlOf = ({ device, control }: { device: string; control: string }) => ({ device, control });

function comparisonReads(comparison: Comparison): readonly Reads[] {
  if (comparison.kind === "equals" || comparison.kind === "differs") return [];
  if (comparison.kind === "between") return [comparison.low, comparison.high].flatMap(amountReads);
  return amountReads(comparison.threshold);
}

function amountReads(amount: Amount): readonly Reads[] {
  if (typeof amount === "number") return [];
  const { from } = amount;
  switch (from.kind) {
    case "variable":
      return [{ variables: [from.name] }];
    case "calendar":
      return [{ calendars: [from.name] }];
    case "tariff":
      return [{ prices: [from.of] }];
    case "sum":
      return from.of.flatMap(amountReads);
    case "budget":
      return [...readsOf(from, from.everyMs), ...amountReads(from.limit)];
    case "attribute":
      return readsOf(from);
  }
}

function actionReads(action: Action): readonly Reads[] {
  if (action.kind === "notify") return action.values.flatMap(([, value]) => amountReads(value));
  if (action.kind !== "claim" && action.kind !== "set") return [];
  return typeof action.value === "object" ? amountReads(action.value) : [];
}
