// What each aggregation does with the points of a bucket. One entry here is all that the engine needs to know of an
// aggregation.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { ColumnKind, Integral, ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { CounterRule } from "#core/telemetry/counter-rule.ts";
import { ScalableSum } from "#core/telemetry/exact-sum.ts";
import type { Accumulator } from "./accumulator.ts";
import type { Scalar } from "./batch.ts";
import type { Summary } from "./chunk.ts";
import { type Column, valueAt } from "./column.ts";
import type { LastPoint } from "./column-cursor.ts";
import { CounterDelta } from "./counter-delta.ts";
import type { PartField } from "./part-levels.ts";

interface AggregationRules {
  /** `before` is the last point before the first bucket, if the aggregation asked for it and there is one. */
  readonly create: (before: LastPoint | undefined, counter: CounterRule | undefined) => Accumulator;
  /** The fields of parts that `addParts` needs. */
  readonly parts: readonly PartField[];
  /** Whether a summary of a chunk and of its parts can stand for the points. */
  readonly summarizes: (summary: Summary) => boolean;
  /** The kind of the results. */
  readonly kind: (values: ColumnKind) => ColumnKind;
  /** The result of one point that is alone in its bucket; undefined where it depends on other points. */
  readonly alone: "value" | number | undefined;
}

/** Buckets of integrals also depend on when points come: `IntegralStream` makes them. */
export type PointAggregation = Exclude<ResolvedAggregation, Integral>;

const SAME = {
  summarizes: () => true,
  kind: (values: ColumnKind) => values,
  alone: "value",
} as const;

/**
 * A chunk whose sum is beyond the range of a double has no usable sum. If the chunk's sum is finite, so are those of
 * its parts.
 */
const hasSum = ({ sum }: Summary) => Number.isFinite(sum.high);

export const RULES: Readonly<Record<PointAggregation, AggregationRules>> = {
  avg: { ...SAME, create: () => new Sum("mean"), parts: ["count", "sum", "rest"], summarizes: hasSum },
  sum: { ...SAME, create: () => new Sum("total"), parts: ["count", "sum", "rest"], summarizes: hasSum },
  min: { ...SAME, create: () => new Minimum(), parts: ["min"] },
  max: { ...SAME, create: () => new Maximum(), parts: ["max"] },
  first: { ...SAME, create: () => new First(), parts: ["first"] },
  last: { ...SAME, create: () => new Last(), parts: ["last"] },
  count: { ...SAME, create: () => new Count(), parts: ["count"], kind: () => "number", alone: 1 },
  // A summary cannot say whether any value is true.
  bool_or: { ...SAME, create: () => new AnyTrue(), parts: [], summarizes: () => false },
  delta: {
    ...SAME,
    create: (before, counter) => new CounterDelta(before, counter),
    parts: ["min", "max", "last"],
    // Otherwise a value may have fallen between the first and the last.
    summarizes: ({ min, max }) => min === max,
    alone: undefined,
  },
};

const NOTHING = new Float64Array(0);

class Sum implements Accumulator {
  readonly #asked: "mean" | "total";
  readonly #sum = new ScalableSum();
  #count = 0;

  constructor(asked: "mean" | "total") {
    this.#asked = asked;
  }

  begin(): void {
    this.#sum.clear();
    this.#count = 0;
  }

  addPoints({ values }: Column, from: number, to: number): void {
    this.#sum.addValues(values as Float64Array, from, to);
    this.#count += to - from;
  }

  // Fields by index, here and below: taking the array apart calls its iterator, once for each bucket of a query.
  addParts(fields: readonly Float64Array[], from: number, to: number): void {
    const counts = fields[0] ?? NOTHING;
    this.#sum.addPairs({ highs: fields[1] ?? NOTHING, lows: fields[2] ?? NOTHING, from, to });
    for (let i = from; i < to; i++) this.#count += counts[i] ?? 0;
  }

  addSummary({ count, sum }: Summary): void {
    this.#sum.addPair(sum.high, sum.low);
    this.#count += count;
  }

  store(numbers: Float64Array, _: Scalar[], place: number): void {
    numbers[place] = this.#asked === "mean" ? this.#sum.mean(this.#count) : this.#sum.total();
  }
}

class Minimum implements Accumulator {
  #least = 0;

  begin(): void {
    this.#least = Number.POSITIVE_INFINITY;
  }

  addPoints({ values }: Column, from: number, to: number): void {
    const numbers = values as Float64Array;
    let least = this.#least;
    for (let i = from; i < to; i++) {
      const value = numbers[i] ?? 0;
      if (value < least) least = value;
    }
    this.#least = least;
  }

  addParts(fields: readonly Float64Array[], from: number, to: number): void {
    const minima = fields[0] ?? NOTHING;
    for (let i = from; i < to; i++) this.#least = Math.min(this.#least, minima[i] ?? 0);
  }

  addSummary({ min }: Summary): void {
    this.#least = Math.min(this.#least, min);
  }

  store(numbers: Float64Array, _: Scalar[], place: number): void {
    numbers[place] = this.#least;
  }
}

class Maximum implements Accumulator {
  #most = 0;

  begin(): void {
    this.#most = Number.NEGATIVE_INFINITY;
  }

  addPoints({ values }: Column, from: number, to: number): void {
    const numbers = values as Float64Array;
    let most = this.#most;
    for (let i = from; i < to; i++) {
      const value = numbers[i] ?? 0;
      if (value > most) most = value;
    }
    this.#most = most;
  }

  addParts(fields: readonly Float64Array[], from: number, to: number): void {
    const maxima = fields[0] ?? NOTHING;
    for (let i = from; i < to; i++) this.#most = Math.max(this.#most, maxima[i] ?? 0);
  }

  addSummary({ max }: Summary): void {
    this.#most = Math.max(this.#most, max);
  }

  store(numbers: Float64Array, _: Scalar[], place: number): void {
    numbers[place] = this.#most;
  }
}

class Count implements Accumulator {
  #count = 0;

  begin(): void {
    this.#count = 0;
  }

  addPoints(_: Column, from: number, to: number): void {
    this.#count += to - from;
  }

  addParts(fields: readonly Float64Array[], from: number, to: number): void {
    const counts = fields[0] ?? NOTHING;
    for (let i = from; i < to; i++) this.#count += counts[i] ?? 0;
  }

  addSummary({ count }: Summary): void {
    this.#count += count;
  }

  store(numbers: Float64Array, _: Scalar[], place: number): void {
    numbers[place] = this.#count;
  }
}

class First implements Accumulator {
  #value: Scalar | undefined;

  begin(): void {
    this.#value = undefined;
  }

  addPoints(column: Column, from: number): void {
    this.#value ??= valueAt(column, from);
  }

  addParts(fields: readonly Float64Array[], from: number): void {
    this.#value ??= fields[0]?.[from] ?? 0;
  }

  addSummary({ first }: Summary): void {
    this.#value ??= first;
  }

  store(numbers: Float64Array, others: Scalar[], place: number): void {
    storeScalar(this.#value ?? 0, numbers, others, place);
  }
}

class Last implements Accumulator {
  #value: Scalar = 0;

  begin(): void {}

  addPoints(column: Column, _: number, to: number): void {
    this.#value = valueAt(column, to - 1);
  }

  addParts(fields: readonly Float64Array[], _: number, to: number): void {
    this.#value = fields[0]?.[to - 1] ?? 0;
  }

  addSummary({ last }: Summary): void {
    this.#value = last;
  }

  store(numbers: Float64Array, others: Scalar[], place: number): void {
    storeScalar(this.#value, numbers, others, place);
  }
}

class AnyTrue implements Accumulator {
  #isTrue = false;

  begin(): void {
    this.#isTrue = false;
  }

  addPoints({ values }: Column, from: number, to: number): void {
    this.#isTrue ||= (values as Uint8Array).subarray(from, to).includes(1);
  }

  addParts(): void {}

  addSummary(): void {}

  store(_: Float64Array, others: Scalar[], place: number): void {
    others[place] = this.#isTrue;
  }
}

function storeScalar(value: Scalar, numbers: Float64Array, others: Scalar[], place: number): void {
  if (typeof value === "number") numbers[place] = value;
  else others[place] = value;
}
