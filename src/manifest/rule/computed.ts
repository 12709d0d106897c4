// Numbers that a rule takes from somewhere each time it needs them.
import {
  type Amount,
  type AttributeRead,
  type ComputedAmount,
  DEEPEST_AMOUNT,
  LONGEST_OVER_MS,
  MOST_TERMS,
} from "#core/rule/rule.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, type Trail } from "#manifest/tree.ts";
import { checkAttribute } from "./check-attribute.ts";
import { calendarName, device, lasting, name, positive, priced, type RuleContext } from "./rule-context.ts";

/** Looked up late: a sum contains amounts. */
const term: r.Reader<Amount> = {
  schema: { anyOf: [{ type: "number" }, { $ref: "#/$defs/computed" }] },
  read: (context, trail) => amount.read(context, trail),
};

/** What a value was over a time instead of the latest one. */
export const OVER = {
  average: r.may(lasting("2s", "1d"), "Not the latest value but the average of so long."),
  change: r.may(lasting("1m"), "Not the value but by how much it has changed in so long."),
} satisfies r.Fields;

export function overOf(
  context: r.ReadContext,
  trail: Trail,
  { average, change }: r.ReadFields<typeof OVER>,
): AttributeRead["over"] {
  if (hasKey(trail, "average") && hasKey(trail, "change"))
    context.reporter.atKey(follow(trail, ["change"]), {
      code: "conflicting_keys",
      message: "average and change do not go together.",
    });
  if (average !== undefined) return { kind: "average", ms: average };
  return change === undefined ? undefined : { kind: "change", ms: Math.min(change, LONGEST_OVER_MS) };
}

const COMPUTED = {
  variable: r.may(name, "The variable that it is taken from."),
  calendar: r.may(calendarName, "The weekly plan whose value it is now taken from."),
  tariff: r.may(priced, "What a kilowatt-hour costs now by the tariff of the site: import or export."),
  device: r.may(device, "The device whose telemetry it is taken from."),
  attribute: r.may(name, "The telemetry attribute that it is taken from."),
  unit: r.may(name, "The unit to convert it to. Default: its own."),
  max_age: r.may(lasting("1s"), "An older value is unknown. Default: three times its usual interval, at least 30s."),
  ...OVER,
  sum: r.may(r.listOf(term, "a list of numbers"), "The numbers that it is the sum of."),
  budget: r.may(
    lasting("1m", "1d"),
    "What the attribute may have until the end of the quarter of an hour (15m), so that all of it has limit on average.",
  ),
  limit: r.may(term, "Of budget: the average that is allowed."),
  times: r.withDefault(r.number, 1, "What it is multiplied by, such as -1."),
  plus: r.withDefault(r.number, 0, "What is added then."),
  step: r.may(positive, "It is rounded towards zero to a multiple of this."),
  min: r.may(r.number, "It is at least this."),
  max: r.may(r.number, "It is at most this."),
  unknown: r.may(r.number, "What it is while nobody knows. Default: it is unknown."),
} satisfies r.Fields;

type Computed = r.ReadFields<typeof COMPUTED>;

const computedFields = r.object("computed number", COMPUTED);

export const computed = r.shared(
  "computed",
  r.reader<ComputedAmount>(computedFields.schema, (context: RuleContext, trail) => {
    const given = computedFields.read(context, trail);
    if (given === undefined || isTooDeep(context, trail)) return undefined;
    checkNumbers(context, trail, given);
    const from = sourceOf(context, trail, given);
    const { times, plus, step, min, max, unknown } = given;
    return from && { from, times, plus, step: step === 0 ? undefined : step, min, max, unknown };
  }),
);

function checkNumbers({ reporter }: r.ReadContext, trail: Trail, { min, max }: Computed): void {
  if (min !== undefined && max !== undefined && min > max)
    reporter.atKey(follow(trail, ["min"]), { code: "min_above_max", message: "min must not be above max." });
  if (hasKey(trail, "limit") && !hasKey(trail, "budget"))
    reporter.atKey(follow(trail, ["limit"]), { code: "conflicting_keys", message: "limit goes with budget." });
  for (const key of ["average", "change"])
    if (hasKey(trail, key) && (hasKey(trail, "budget") || !hasKey(trail, "attribute")))
      reporter.atKey(follow(trail, [key]), {
        code: "conflicting_keys",
        message: `${key} goes with an attribute alone.`,
      });
}

function isTooDeep({ reporter }: r.ReadContext, trail: Trail): boolean {
  let depth = 0;
  for (let at: Trail | undefined = trail; at !== undefined; at = at.parent) if (hasKey(at, "sum")) depth += 1;
  if (depth > DEEPEST_AMOUNT)
    reporter.atKey(trail, {
      code: "document_too_deep",
      message: `Sums are nested more than ${DEEPEST_AMOUNT} deep.`,
    });
  return depth > DEEPEST_AMOUNT;
}

function sourceOf(context: RuleContext, trail: Trail, given: Computed): ComputedAmount["from"] | undefined {
  const sources = [
    hasKey(trail, "variable"),
    hasKey(trail, "calendar"),
    hasKey(trail, "tariff"),
    hasKey(trail, "sum"),
    hasKey(trail, "device") || hasKey(trail, "attribute"),
  ];
  const count = sources.filter(Boolean).length;
  if (count !== 1)
    return context.reporter.atKey(trail, {
      code: count === 0 ? "missing_key" : "conflicting_keys",
      message:
        "A computed number is taken from a variable, a calendar, the tariff, a device and its attribute, or is a sum.",
    });
  if (given.variable !== undefined) return { kind: "variable", name: given.variable };
  if (given.calendar !== undefined) return { kind: "calendar", name: given.calendar };
  if (given.tariff !== undefined) return { kind: "tariff", of: given.tariff };
  if (hasKey(trail, "sum")) return sumOf(context, trail, given.sum);
  // It has been reported what is wrong with the name.
  if (!hasKey(trail, "device") && !hasKey(trail, "attribute")) return undefined;
  return readOf(context, trail, given);
}

function sumOf({ reporter }: r.ReadContext, trail: Trail, terms: readonly Amount[] | undefined) {
  const place = follow(trail, ["sum"]);
  const count = place.node.kind === "list" ? place.node.items.length : 1;
  if (count >= 1 && count <= MOST_TERMS) return terms && { kind: "sum" as const, of: terms };
  const code = count === 0 ? "empty_value" : "document_too_complex";
  return reporter.atKey(place, { code, message: `sum has 1 to ${MOST_TERMS} numbers, and these are ${count}.` });
}

function readOf(context: RuleContext, trail: Trail, given: Computed): ComputedAmount["from"] | undefined {
  const { device: from, attribute } = given;
  if (from === undefined || attribute === undefined) {
    if (!hasKey(trail, "device") || !hasKey(trail, "attribute"))
      context.reporter.atKey(trail, { code: "missing_key", message: "device and attribute belong together." });
    return undefined;
  }
  const read = { device: from, attribute, unit: given.unit, maxAgeMs: given.maxAge };
  checkAttribute(context, trail, { ...read, isNumber: true });
  if (given.budget === undefined) return { kind: "attribute", ...read, over: overOf(context, trail, given) };
  if (given.limit !== undefined) return { kind: "budget", ...read, everyMs: given.budget, limit: given.limit };
  if (!hasKey(trail, "limit"))
    context.reporter.atKey(trail, { code: "missing_key", message: "budget needs limit, the average that is allowed." });
  return undefined;
}

export const amount: r.Reader<Amount> = r.byForm<Amount>({
  scalar: r.number,
  map: computed,
  wanted: "a number, or an object such as {variable: limit}",
});
