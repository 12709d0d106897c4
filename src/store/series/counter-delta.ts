// How much a counter rose. Each point counts what it is above the highest value of the hour before it, since the last
// restart; so a dip and the return from it add nothing. What a point counts depends on that hour and on the last value
// before it alone, however old: the deltas of ranges that follow each other add up.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { itemAt } from "#core/item-at.ts";
import {
  ANY_COUNTER,
  type CounterRule,
  hasNoRestart,
  isRestart,
  LASTS_MS,
  mostWithin,
} from "#core/telemetry/counter-rule.ts";
import { ScalableSum } from "#core/telemetry/exact-sum.ts";
import type { Accumulator, PartsChunk } from "./accumulator.ts";
import type { Scalar } from "./batch.ts";
import type { Summary } from "./chunk.ts";
import type { Column } from "./column.ts";
import type { LastPoint } from "./column-cursor.ts";

const NOTHING = new Float64Array(0);

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

  /**
   * Parts suffice where nothing falls for long: each part begins at or above the last value of the one before and ends with its
   * greatest value, so a dip begins and ends within it, and a part is no longer than an hour. Then only the last values count.
   */
  takesParts(fields: readonly Float64Array[], { from, to, lastAt }: PartsChunk): boolean {
    const [least = NOTHING, greatest = NOTHING, last = NOTHING] = fields;
    if (Number.isNaN(this.#level) || this.#dipTimes.length > 0) return false;
    const most = mostWithin(this.#rule, 0);
    let before = this.#level;
    for (let i = from; i < to; i++) {
      const [low, high, end] = [least[i] ?? 0, greatest[i] ?? 0, last[i] ?? 0];
      if (low < before || end !== high || high - before > most || !hasNoRestart(low, high)) return false;
      before = end;
    }
    // Until the next point nothing asks for the time.
    this.#lastAt = lastAt;
    return true;
  }

  addParts(fields: readonly Float64Array[], _: number, to: number): void {
    this.#level = this.#last = fields[2]?.[to - 1] ?? 0;
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
