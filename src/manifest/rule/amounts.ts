// Numbers, comparisons and times of day in a rule.
import type { Amount, Comparison, ComputedAmount, DayTime, PlainValue, Weekday } from "#core/rule/rule.ts";
import { WEEKDAYS } from "#core/rule/rule.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import * as r from "#manifest/reader.ts";
import { follow, type Trail } from "#manifest/tree.ts";
import { checkAttribute } from "./check-attribute.ts";
import { device, has, lasting, name, positive, type RuleContext } from "./rule-context.ts";

const COMPUTED = {
  variable: r.may(name, "The variable that it is taken from."),
  device: r.may(device, "The device whose telemetry it is taken from."),
  attribute: r.may(name, "The telemetry attribute that it is taken from."),
  unit: r.may(name, "The unit to convert it to. Default: its own."),
  max_age: r.may(lasting("1s"), "An older value is unknown. Default: three times its usual interval, at least 30s."),
  times: r.withDefault(r.number, 1, "What it is multiplied by, such as -1."),
  plus: r.withDefault(r.number, 0, "What is added then."),
  min: r.may(r.number, "It is at least this."),
  max: r.may(r.number, "It is at most this."),
} satisfies r.Fields;

const computedFields = r.object("computed number", COMPUTED);

export const computed: r.Reader<ComputedAmount> = r.reader(computedFields.schema, (context: RuleContext, trail) => {
  const given = computedFields.read(context, trail);
  if (given === undefined) return undefined;
  const { variable, device: from, attribute, times, plus, min, max } = given;
  const isVariable = has(trail, "variable");
  if (isVariable === (has(trail, "device") || has(trail, "attribute")))
    return context.reporter.atKey(trail, {
      code: isVariable ? "conflicting_keys" : "missing_key",
      message: "A computed number is taken from a variable, or from a device and its attribute.",
    });
  if (min !== undefined && max !== undefined && min > max)
    context.reporter.atKey(follow(trail, ["min"]), { code: "min_above_max", message: "min must not be above max." });
  const rest = { times, plus, min, max };
  if (variable !== undefined) return { from: { kind: "variable", name: variable }, ...rest };
  if (from === undefined || attribute === undefined) {
    if (!has(trail, "device") || !has(trail, "attribute"))
      context.reporter.atKey(trail, { code: "missing_key", message: "device and attribute belong together." });
    return undefined;
  }
  const read = { device: from, attribute, unit: given.unit, maxAgeMs: given.maxAge };
  checkAttribute(context, trail, { ...read, isNumber: true });
  return { from: { kind: "attribute", ...read }, ...rest };
});

export const amount: r.Reader<Amount> = r.byForm<Amount>({
  scalar: r.number,
  map: computed,
  wanted: "a number, or an object such as {variable: limit}",
});

export const plainValue: r.Reader<PlainValue> = r.scalar(
  { type: ["string", "number", "boolean"] },
  "a text, a number, true or false",
  ({ value }) => {
    if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
    return value === null || (typeof value === "string" && value.length > 1_000) ? undefined : value;
  },
);

const range: r.Reader<readonly [Amount, Amount]> = r.reader(
  { type: "array", minItems: 2, maxItems: 2, items: amount.schema },
  (context, trail) => {
    if (trail.node.kind !== "list" || trail.node.items.length !== 2)
      return r.wrong(context, trail, "a list of two numbers, such as [10, 90]");
    const [low, high] = r.listOf(amount).read(context, trail) ?? [];
    if (low === undefined || high === undefined) return undefined;
    if (typeof low !== "number" || typeof high !== "number" || low <= high) return [low, high];
    return context.reporter.atValue(trail, {
      code: "min_above_max",
      message: "The first number must not be above the second.",
    });
  },
);

const values: r.Reader<readonly PlainValue[]> = r.oneOrMore(plainValue);

/** Exactly one of the first five. */
export const COMPARISON = {
  above: r.may(amount, "True while it is above this."),
  below: r.may(amount, "True while it is below this."),
  between: r.may(range, "True while it is from the first number to the second."),
  equals: r.may(values, "True while it is this, or one of these."),
  differs: r.may(values, "True while it is something else, and known."),
  hysteresis: r.may(positive, "Once true, it stays true until the value has gone back by so much."),
} satisfies r.Fields;

const WORDS = ["above", "below", "between", "equals", "differs"] as const;

export function comparisonOf(
  context: r.ReadContext,
  trail: Trail,
  given: r.ReadFields<typeof COMPARISON>,
): Comparison | undefined {
  const [word, other] = WORDS.filter((key) => has(trail, key));
  if (word === undefined)
    return context.reporter.atKey(trail, {
      code: "missing_key",
      message: `What it is compared with is missing. It needs one of ${WORDS.join(", ")}.`,
    });
  if (other !== undefined)
    return context.reporter.atKey(follow(trail, [other]), {
      code: "conflicting_keys",
      message: `${word} and ${other} do not go together. For both, write two conditions.`,
    });
  const { hysteresis = 0 } = given;
  if (word === "equals" || word === "differs") {
    if (has(trail, "hysteresis"))
      context.reporter.atKey(follow(trail, ["hysteresis"]), {
        code: "conflicting_keys",
        message: `hysteresis does not go with ${word}.`,
      });
    const listed = given[word];
    return listed && { kind: word, values: listed };
  }
  if (word === "between")
    return given.between && { kind: word, low: given.between[0], high: given.between[1], hysteresis };
  const threshold = given[word];
  return threshold === undefined ? undefined : { kind: word, threshold, hysteresis };
}

const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;
const SUN = /^(sunrise|sunset)(?: ?([+-]) ?([\d.hms]{1,20}))?$/;
const FARTHEST_MS = 12 * 3_600_000;

export const dayTime: r.Reader<DayTime> = r.reader(
  { type: "string", examples: ["07:30", "sunset", "sunrise-30m"] },
  (context: RuleContext, trail) => {
    const text = trail.node.kind === "scalar" && typeof trail.node.value === "string" ? trail.node.value : "";
    const read = parseDayTime(text);
    if (read === undefined) return r.wrong(context, trail, "a time of day such as 07:30, sunset or sunrise-30m");
    if (read.kind === "sun" && context.site?.hasLocation === false)
      context.reporter.atValue(trail, {
        code: "unknown_value",
        message: "Nobody knows where the sun rises: the site has no location. Set its latitude and longitude.",
      });
    return read;
  },
);

function parseDayTime(text: string): DayTime | undefined {
  const clock = CLOCK.exec(text);
  if (clock !== null) return { kind: "clock", minutes: Number(clock[1]) * 60 + Number(clock[2]) };
  const [, event, sign, offset] = SUN.exec(text) ?? [];
  if (event !== "sunrise" && event !== "sunset") return undefined;
  const duration = offset === undefined ? undefined : parseDuration(offset);
  if (offset !== undefined && duration === undefined) return undefined;
  const ms = duration === undefined ? 0 : toMilliseconds(duration);
  return ms > FARTHEST_MS ? undefined : { kind: "sun", event, offsetMs: sign === "-" ? -ms : ms };
}

const GROUPS: Readonly<Record<"weekdays" | "weekend", readonly Weekday[]>> = {
  weekdays: ["mon", "tue", "wed", "thu", "fri"],
  weekend: ["sat", "sun"],
};

export const days: r.Reader<readonly Weekday[]> = r.mapped(
  r.oneOrMore(r.oneOf([...WEEKDAYS, "weekdays", "weekend"] as const)),
  (given) => {
    const all = given.flatMap((word): readonly Weekday[] =>
      word === "weekdays" || word === "weekend" ? GROUPS[word] : [word],
    );
    return WEEKDAYS.filter((day) => all.includes(day));
  },
);
