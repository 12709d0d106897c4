import { type Refusal, refuse } from "#core/app-error.ts";
import { MILLION, millionths } from "#core/energy/money.ts";
import { PRICE_KINDS, type PriceKind, type PriceRow } from "#core/energy/price-days.ts";
import { priceTimeProblem } from "#core/energy/price-times.ts";
import { LARGEST_PRICE } from "#core/energy/tariff.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import { parseDuration } from "#core/time/duration.ts";
import { DAY_MS, QUARTER_MS } from "#core/time/hour.ts";
import { instant, parseInstant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, strict } from "#service/operation/wire.ts";

/** JSON of more than 20,000 values is refused. */
const MAX_PRICE_ROWS = 4_000;
/** A price for a year is one of a tariff. */
const LONGEST_ROW_MS = 31 * DAY_MS;
/** Of a call, so that it changes a bounded number of days. */
const MAX_DAYS = 800;

const time = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });
const duration = (description: string) => Type.String({ minLength: 1, maxLength: 20, description });

export const newPricesSchema = described("NewPrices", "Prices of a site. They replace those of the same times.", {
  duration: Type.Optional(duration("How long each price holds where its row does not say it: 15m or 1h.")),
  prices: Type.Array(
    strict("NewPrice", {
      from: time("RFC 3339, on a quarter of an hour."),
      to: Type.Optional(time("End, not included.")),
      duration: Type.Optional(duration("Instead of the end.")),
      price: nullable(
        Type.Number({
          minimum: -LARGEST_PRICE,
          maximum: LARGEST_PRICE,
          description: "In the currency of the tariff for a kilowatt-hour, or grams of CO2. Null deletes.",
        }),
      ),
    }),
    { minItems: 1, maxItems: MAX_PRICE_ROWS },
  ),
});

export const pricesSchema = described("Prices", "Quarters of an hour with the same price are one row.", {
  kind: Type.String(),
  prices: Type.Array(
    strict("Price", {
      from: Type.String({ description: "RFC 3339" }),
      to: Type.String({ description: "RFC 3339" }),
      price: Type.Number(),
    }),
  ),
});

/** Refuses with everything that is wrong. */
export function parsePrices(body: Static<typeof newPricesSchema>, now: number): readonly PriceRow[] {
  const refusals = new MistakeList<Refusal>();
  const refuseAt = (pointer: string, message: string) =>
    refusals.add(() => ({ code: "invalid_body", message: `${pointer} ${message}`, details: { pointer } }));
  const lengthOf = (text: string | undefined, pointer: string): number | undefined => {
    if (text === undefined) return undefined;
    const length = Number(parseDuration(text) ?? 0n) / 1e6;
    if (length > 0 && length % QUARTER_MS === 0 && length <= LONGEST_ROW_MS) return length;
    refuseAt(pointer, "must be a multiple of 15m of at most 31d");
    return QUARTER_MS;
  };
  const common = lengthOf(body.duration, "/duration");
  let quarters = 0;
  const rows = body.prices.flatMap((given, n): PriceRow[] => {
    const at = (field: string) => `/prices/${n}/${field}`;
    const from = quarterOf(given.from);
    if (from === undefined) refuseAt(at("from"), "must be an RFC 3339 time on a quarter of an hour");
    else {
      const problem = priceTimeProblem(from, now);
      if (problem !== undefined) refuseAt(at("from"), problem);
    }
    const to = given.to === undefined ? undefined : quarterOf(given.to);
    if (given.to !== undefined && to === undefined) {
      refuseAt(at("to"), "must be an RFC 3339 time on a quarter of an hour");
    }
    const length = lengthOf(given.duration, at("duration")) ?? common;
    const end = to ?? (from === undefined || length === undefined ? undefined : from + length);
    if (given.to === undefined && length === undefined) refuseAt(at("to"), "is needed, or a duration");
    if (from === undefined || end === undefined) return [];
    if (end <= from || end - from > LONGEST_ROW_MS) refuseAt(at("to"), "must be after from, by at most 31 days");
    else quarters += (end - from) / QUARTER_MS;
    return [{ from, to: end, price: given.price === null ? null : millionths(given.price) }];
  });
  if (quarters > (MAX_DAYS * DAY_MS) / QUARTER_MS) {
    refuseAt("/prices", `cover more than ${MAX_DAYS} days; make several calls`);
  }
  refuseMistakes(refusals);
  return rows;
}

function quarterOf(text: string): number | undefined {
  const at = parseInstant(text);
  return at === undefined || at % QUARTER_MS !== 0 ? undefined : at;
}

export function renderPrices(kind: string, rows: readonly PriceRow[]): Static<typeof pricesSchema> {
  return {
    kind,
    prices: rows.map(({ from, to, price }) => ({
      from: renderInstant(instant(from)),
      to: renderInstant(instant(to)),
      price: (price ?? 0) / MILLION,
    })),
  };
}

export function priceKind(text: string): PriceKind {
  const kind = PRICE_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw refuse("not_found", `there are no such prices; kinds are ${PRICE_KINDS.join(", ")}`);
}
