// How much a counter rose. Each point counts what it is above the highest value of the hour before it, since the last
// restart; so a dip and the return from it add nothing. What a point counts depends on that hour and on the last value
// before it alone, however old: the deltas of ranges that follow each other add up.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { itemAt } from "#core/item-at.ts";
import { ANY_COUNTER, type CounterRule, isRestart, LASTS_MS, mostWithin } from "#core/telemetry/counter-rule.ts";
import { ScalableSum } from "#core/telemetry/exact-sum.ts";
import type { Accumulator } from "./accumulator.ts";
import type { Scalar } from "./batch.ts";
import type { Summary } from "./chunk.ts";
import type { Column } from "./column.ts";
import type { LastPoint } from "./column-cursor.ts";

export class CounterDelta implements Accumulator {
  readonly #rule: CounterRule;
  readonly #sum = new ScalableSum();
  /** The bucket has counted the sum and what the level is above the base. NaN before the first point of all. */
  #base = Number.NaN;
  #level = Number.NaN;
  #last = Number.NaN;
  #lastAt = 0;
  /** While values are below the level: the values that may become it, falling, with their times. Otherwise empty. */
  #dipTimes: number[] = [];
  #dipValues: number[] = [];

  constructor(before: LastPoint | undefined, rule: CounterRule = ANY_COUNTER) {
    this.#rule = rule;
    if (before !== undefined) this.#step(before.at, Number(before.value));
  }

  /** Points that came before the first bucket have set the level, and count nothing. */
  begin(): void {
    this.#sum.clear();
    this.#base = this.#level;
  }

  addPoints({ times, values }: Column, from: number, to: number): void {
    const numbers = values as Float64Array;
    for (let i = from; i < to; i++) this.#step(times[i] ?? 0, numbers[i] ?? 0);
  }

  addParts(): void {
    throw new Error("a delta is not made of parts");
  }

  /** Of points that all have the same value. */
  addSummary({ firstAt, lastAt, first }: Summary): void {
    this.#step(firstAt, Number(first));
    this.#step(lastAt, Number(first));
  }

  store(numbers: Float64Array, _: Scalar[], place: number): void {
    this.#sum.addPair(this.#level, -this.#base);
    numbers[place] = this.#sum.total();
  }

  #step(at: number, value: number): void {
    if (this.#dipTimes.length > 0) this.#expire(at);
    if (Number.isNaN(this.#level)) this.#base = this.#level = value;
    else if (value >= this.#level) this.#rise(at, value);
    else if (value < this.#last && isRestart(this.#rule, [this.#last, value], at - this.#lastAt)) {
      this.#moveTo(0, value);
      this.#endDip();
    } else this.#dip(at, value);
    this.#last = value;
    this.#lastAt = at;
  }

  #rise(at: number, value: number): void {
    // More than can be: what it really was is unknown, and counts nothing.
    if (value - this.#level > mostWithin(this.#rule, at - this.#lastAt)) this.#moveTo(value, value);
    this.#level = value;
    if (this.#dipTimes.length > 0) this.#endDip();
  }

  #dip(at: number, value: number): void {
    if (this.#dipTimes.length === 0) {
      this.#dipTimes.push(this.#lastAt);
      this.#dipValues.push(this.#level);
    }
    while ((this.#dipValues.at(-1) ?? Number.POSITIVE_INFINITY) <= value) {
      this.#dipTimes.pop();
      this.#dipValues.pop();
    }
    this.#dipTimes.push(at);
    this.#dipValues.push(value);
  }

  /** The level is the highest value of the hour, and at least the last one. */
  #expire(at: number): void {
    let gone = 0;
    while (gone < this.#dipTimes.length - 1 && itemAt(this.#dipTimes, gone) <= at - LASTS_MS) gone++;
    if (gone === 0) return;
    this.#dipTimes.splice(0, gone);
    this.#dipValues.splice(0, gone);
    const level = this.#dipValues[0] ?? this.#last;
    this.#moveTo(level, level);
    if (this.#dipTimes.length === 1) this.#endDip();
  }

  #endDip(): void {
    this.#dipTimes = [];
    this.#dipValues = [];
  }

  /** Counts from here on what the level is above another base. */
  #moveTo(base: number, level: number): void {
    this.#sum.addPair(this.#level, -this.#base);
    this.#base = base;
    this.#level = level;
  }
}
