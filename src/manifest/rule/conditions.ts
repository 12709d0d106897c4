// Conditions of a rule, in `when` and in `if`.
import { CLAIM_CLASSES } from "#core/control/claim.ts";
import { type Condition, DEEPEST_CONDITION, MOST_RULE_CONDITIONS } from "#core/rule/rule.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, pointer, type Trail } from "#manifest/tree.ts";
import { COMPARISON, comparisonOf, days, dayTime } from "./amounts.ts";
import { checkAttribute, checkValues } from "./check-attribute.ts";
import { computed, OVER, overOf } from "./computed.ts";
import { form } from "./condition-form.ts";
import { PRICE_FORMS } from "./price-conditions.ts";
import { byKey, calendarName, device, deviceOf, lasting, name, named, type RuleContext } from "./rule-context.ts";

type Kind<K extends Condition["kind"]> = Extract<Condition, { readonly kind: K }>;

const DEVICE = r.must(device, "The device, by its id or slug.");
const ATTRIBUTE = r.must(name, "Its telemetry attribute.");

const value = form(
  "condition of a value",
  {
    device: DEVICE,
    attribute: ATTRIBUTE,
    ...COMPARISON,
    unit: r.may(name, "The unit of the numbers here. Default: that of the attribute."),
    ...OVER,
    max_age: r.may(lasting("1s"), "An older value is unknown. Default: three times its usual interval, at least 30s."),
  },
  (given, context, trail) => {
    const comparison = comparisonOf(context, trail, given);
    const { device: of, attribute, unit, maxAge } = given;
    const over = overOf(context, trail, given);
    const isCompared = comparison !== undefined && comparison.kind !== "equals" && comparison.kind !== "differs";
    const isNumber = isCompared || over !== undefined;
    checkAttribute(context, trail, { device: of, attribute, unit, isNumber });
    if (comparison === undefined) return undefined;
    checkValues(context, trail, { device: of, attribute, comparison });
    return { kind: "value", place: pointer(trail), device: of, attribute, unit, maxAgeMs: maxAge, over, comparison };
  },
);

const NUMBER = r.must(computed, "A computed number, such as {sum: [...]}.");

const computedNumber = form(
  "condition of a computed number",
  { value: NUMBER, ...COMPARISON },
  (given, context, trail) => {
    const comparison = comparisonOf(context, trail, given);
    return comparison && { kind: "amount", place: pointer(trail), amount: given.value, comparison };
  },
);

const stale = form(
  "condition of an age",
  { device: DEVICE, attribute: ATTRIBUTE, stale_for: r.must(lasting("1s"), "True while nothing came for so long.") },
  ({ device: of, attribute, staleFor }, context, trail) => {
    checkAttribute(context, trail, { device: of, attribute, unit: undefined, isNumber: false });
    return { kind: "stale", place: pointer(trail), device: of, attribute, afterMs: staleFor };
  },
);

const CONTROL = r.must(name, "Its control.");

function checkControl(
  context: RuleContext,
  trail: Trail,
  { device: of, control }: { device: string; control: string },
) {
  const known = deviceOf(context, of);
  if (known !== undefined)
    named(context, follow(trail, ["control"]), {
      what: `control of ${of}`,
      word: control,
      known: known.controls.keys(),
    });
}

const control = form(
  "condition of a control",
  { device: DEVICE, control: CONTROL, ...COMPARISON },
  (given, context, trail) => {
    checkControl(context, trail, given);
    const comparison = comparisonOf(context, trail, given);
    return (
      comparison && { kind: "control", place: pointer(trail), device: given.device, control: given.control, comparison }
    );
  },
);

const holder = form(
  "condition of a holder",
  {
    device: DEVICE,
    control: CONTROL,
    held_by: r.must(r.oneOf([...CLAIM_CLASSES, "nobody"] as const), "True while a claim of this class counts."),
  },
  (given, context, trail): Kind<"holder"> => {
    checkControl(context, trail, given);
    return {
      kind: "holder",
      place: pointer(trail),
      device: given.device,
      control: given.control,
      holder: given.heldBy,
    };
  },
);

const alert = form(
  "condition of an alert",
  { device: DEVICE, alert: r.must(name, "True while this alert is active. any: while there is one.") },
  ({ device: of, alert: word }, context, trail): Kind<"alert"> => {
    const known = deviceOf(context, of)?.alerts;
    const place = pointer(trail);
    if (word === "any") return { kind: "alert", place, device: of, alert: undefined };
    if (known !== undefined) named(context, follow(trail, ["alert"]), { what: `alert of ${of}`, word, known });
    return { kind: "alert", place, device: of, alert: word };
  },
);

const online = form(
  "condition of a connection",
  { device: DEVICE, is: r.must(r.oneOf(["online", "offline"]), "True while the device is connected, or is not.") },
  ({ device: of, is }, _, trail) => ({ kind: "online", place: pointer(trail), device: of, isOnline: is === "online" }),
);

const variable = form(
  "condition of a variable",
  { variable: r.must(name, "The variable."), ...COMPARISON },
  (given, context, trail) => {
    const known = context.site?.variables;
    if (known !== undefined)
      named(context, follow(trail, ["variable"]), { what: "variable", word: given.variable, known });
    const comparison = comparisonOf(context, trail, given);
    return comparison && { kind: "variable", place: pointer(trail), name: given.variable, comparison };
  },
);

/** Of times: nothing happens while one of them is on. */
export const except = r.may(r.oneOrMore(calendarName), "Calendars: nothing happens while one of them is on.");

const calendar = form(
  "condition of a calendar",
  {
    calendar: r.must(calendarName, "The calendar of the site."),
    is: r.may(r.oneOf(["on", "off"]), "True while it is on, or is off. Default: on."),
    ...COMPARISON,
  },
  (given, context, trail) => {
    const compared = COMPARED.filter((key) => hasKey(trail, key));
    const place = pointer(trail);
    if (compared.length === 0)
      return { kind: "calendar", place, name: given.calendar, isOn: given.is !== "off", comparison: undefined };
    if (given.is === "off")
      return context.reporter.atKey(follow(trail, ["is"]), {
        code: "conflicting_keys",
        message: "A calendar that is off has no value to compare.",
      });
    const comparison = comparisonOf(context, trail, given);
    return comparison && { kind: "calendar", place, name: given.calendar, isOn: true, comparison };
  },
);

const COMPARED = Object.keys(COMPARISON);

const time = form(
  "condition of the time",
  {
    from: r.must(dayTime, "The time of day when it becomes true: 22:00, sunset, sunrise-30m."),
    to: r.must(dayTime, "The time of day when it ends, on the next day if it is earlier."),
    days: r.may(days, "The days on which it begins: mon to sun, weekdays, weekend. Default: every day."),
  },
  (given, context, trail) => {
    if (JSON.stringify(given.from) === JSON.stringify(given.to))
      return context.reporter.atValue(follow(trail, ["to"]), {
        code: "conflicting_keys",
        message: "from and to are the same. Without a limit of time, leave both out.",
      });
    return { kind: "time", place: pointer(trail), from: given.from, to: given.to, days: given.days };
  },
);

/** Looked up late: conditions contain conditions. */
const inner: r.Reader<Condition> = {
  schema: { $ref: "#/$defs/condition" },
  read: (context, trail) => condition.read(context, trail),
};

const inners = r.listOf(inner, "a list of conditions");
const combined = (kind: "all" | "any") =>
  form(
    `condition ${kind}`,
    { [kind]: r.must(inners, `True while ${kind === "all" ? "all of these are" : "one of these is"} true.`) },
    (given, context, trail): Condition | undefined => {
      const conditions = (given as Readonly<Record<string, readonly Condition[]>>)[kind] ?? [];
      const place = pointer(trail);
      if (conditions.length > 0) return kind === "all" ? { kind, place, conditions } : { kind, place, conditions };
      const list = follow(trail, [kind]);
      const isEmpty = list.node.kind === "list" && list.node.items.length === 0;
      if (isEmpty)
        context.reporter.atKey(list, { code: "empty_value", message: `${kind} needs at least one condition.` });
      return undefined;
    },
  );

const not = form("condition not", { not: r.must(inner, "True while this is false.") }, (given, _, trail) => ({
  kind: "not",
  place: pointer(trail),
  condition: given.not,
}));

/** By the key that says what it is about; the more special one first. */
export const CONDITION_FORMS: readonly (readonly [string, r.Reader<Condition>])[] = [
  ["all", combined("all")],
  ["any", combined("any")],
  ["not", not],
  ["stale_for", stale],
  ["held_by", holder],
  ["calendar", calendar],
  ...PRICE_FORMS,
  ["attribute", value],
  ["control", control],
  ["alert", alert],
  ["is", online],
  ["variable", variable],
  ["from", time],
  ["to", time],
  ["value", computedNumber],
];

const forms = byKey("condition", CONDITION_FORMS);

export const condition: r.Reader<Condition> & { readonly definition: Readonly<Record<string, unknown>> } = r.shared(
  "condition",
  r.reader<Condition>(forms.schema, (context: RuleContext, trail) => {
    if (isTooMuch(context, trail)) return undefined;
    return forms.read(context, trail);
  }),
);

/** Counts the condition. True, and reported once, if there are too many or they are too deep. */
export function isTooMuch({ counted, reporter }: RuleContext, trail: Trail): boolean {
  counted.conditions += 1;
  const { conditions } = counted;
  let depth = 0;
  for (let at: Trail | undefined = trail; at !== undefined; at = at.parent)
    if (hasKey(at, "all") || hasKey(at, "any") || hasKey(at, "not")) depth += 1;
  if (depth > DEEPEST_CONDITION)
    reporter.atKey(trail, {
      code: "document_too_deep",
      message: `Conditions are nested more than ${DEEPEST_CONDITION} deep.`,
    });
  if (conditions === MOST_RULE_CONDITIONS + 1)
    reporter.atKey(trail, {
      code: "document_too_complex",
      message: `A rule has at most ${MOST_RULE_CONDITIONS} conditions.`,
    });
  return depth > DEEPEST_CONDITION || conditions > MOST_RULE_CONDITIONS;
}
