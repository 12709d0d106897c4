// Conditions of what energy costs: the price of now, and the cheapest or dearest hours of a day.
import type { Condition, DayTime, PricedHours } from "#core/rule/rule.ts";
import { QUARTER_MS } from "#core/time/hour.ts";
import * as r from "#manifest/reader.ts";
import { follow, pointer, type Trail } from "#manifest/tree.ts";
import { nameOf } from "#manifest/words.ts";
import { COMPARISON, comparisonOf, dayTime } from "./amounts.ts";
import { form } from "./condition-form.ts";
import { lasting, priced } from "./rule-context.ts";

const TARIFF = r.must(priced, "The price of the site's tariff for a kilowatt-hour: import or export.");
const MIDNIGHT: DayTime = { kind: "clock", minutes: 0 };
const LENGTH = lasting("15m", "1d");

const length = r.reader(LENGTH.schema, (context, trail) => {
  const ms = LENGTH.read(context, trail);
  if (ms === undefined || ms % QUARTER_MS === 0) return ms;
  const message = `Prices are those of quarters of an hour, so ${nameOf(trail)} must be a multiple of 15m.`;
  return context.reporter.atValue(trail, { code: "bad_duration", message });
});

const WITHIN = {
  unbroken: r.withDefault(r.flag, false, "All of them in a row. Default: false."),
  from: r.may(dayTime, "When the time begins in which they are looked for. Default: a day before it ends."),
  before: r.withDefault(dayTime, MIDNIGHT, "When it ends. Default: 00:00."),
} satisfies r.Fields;

type Given = r.ReadFields<typeof WITHIN> & { readonly tariff: PricedHours["of"] };

function hoursOf(
  context: r.ReadContext,
  trail: Trail,
  { tariff: of, unbroken: isUnbroken, from, before, ...ranked }: Given & Pick<PricedHours, "rank" | "lengthMs">,
): Condition | undefined {
  if (JSON.stringify(from) === JSON.stringify(before))
    return context.reporter.atValue(follow(trail, ["from"]), {
      code: "conflicting_keys",
      message: "from and before are the same. For a whole day, leave from out.",
    });
  const { rank, lengthMs } = ranked;
  return { kind: "hours", place: pointer(trail), of, rank, lengthMs, isUnbroken, from, before };
}

const cheapest = form(
  "condition of cheap hours",
  { tariff: TARIFF, cheapest: r.must(length, "True in so many hours of the time, the cheapest ones."), ...WITHIN },
  (given, context, trail) => hoursOf(context, trail, { ...given, rank: "cheapest", lengthMs: given.cheapest }),
);

const dearest = form(
  "condition of dear hours",
  { tariff: TARIFF, dearest: r.must(length, "True in so many hours of the time, the dearest ones."), ...WITHIN },
  (given, context, trail) => hoursOf(context, trail, { ...given, rank: "dearest", lengthMs: given.dearest }),
);

const now = form("condition of a price", { tariff: TARIFF, ...COMPARISON }, (given, context, trail) => {
  const comparison = comparisonOf(context, trail, given);
  return comparison && { kind: "tariff", place: pointer(trail), of: given.tariff, comparison };
});

export const PRICE_FORMS: readonly (readonly [string, r.Reader<Condition>])[] = [
  ["cheapest", cheapest],
  ["dearest", dearest],
  ["tariff", now],
];
