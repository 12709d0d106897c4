// Comparisons and times of day in a rule.

import { parseDayTime } from "#core/rule/day-time.ts";
import type { Amount, Comparison, DayTime, PlainValue } from "#core/rule/rule.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";
import * as r from "#manifest/reader.ts";
import { follow, hasKey, type Trail } from "#manifest/tree.ts";
import { amount } from "./computed.ts";
import { positive, type RuleContext } from "./rule-context.ts";

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
  const [word, other] = WORDS.filter((key) => hasKey(trail, key));
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
    if (hasKey(trail, "hysteresis"))
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
