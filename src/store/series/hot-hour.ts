// The unsealed points of one device and hour. Values of one message share one row, so a point costs little more than
// its value. Points may come late, twice and in any order. Of two points with the same series and time, the one that
// came later counts.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { itemAt } from "#core/item-at.ts";
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { Scalar } from "./batch.ts";
import type { Latest } from "./chunk.ts";
import type { Column, ColumnValues } from "./column.ts";

interface Place {
  readonly device: number;
  /** Hours since 1970. */
  readonly hour: number;
  /** The oldest journal row with points of this hour: the journal is needed from that row on. */
  readonly firstSequence: number;
}

export class HotHour {
  readonly device: number;
  readonly hour: number;
  firstSequence: number;
  /** The newest one. */
  lastSequence: number;
  /** When sealing first looked at it, on a monotonic clock. */
  seenAt: number | undefined;
  /** Must not be sealed earlier than this, on the same clock. */
  waitsUntil = 0;
  /** Counted by memory: every 16 characters of text count as one more point. */
  points = 0;
  readonly #columns = new Map<number, HotColumn>();
  /**
   * The same columns in the order of their first values. Messages of a device are alike, so the next value most often
   * belongs to the next column.
   */
  readonly #order: HotColumn[] = [];
  #next = 0;
  #times = new Float64Array(FIRST_ROOM);
  #rows = 0;
  #isSorted = true;
  /** What all rows have in common when they are read; made when needed. */
  #reading: Reading | undefined;

  constructor({ device, hour, firstSequence }: Place) {
    this.device = device;
    this.hour = hour;
    this.firstSequence = firstSequence;
    this.lastSequence = firstSequence;
  }

  /** A journal row has points of this hour. */
  note(sequence: number): void {
    if (sequence > this.lastSequence) this.lastSequence = sequence;
    else if (sequence < this.firstSequence) this.firstSequence = sequence;
  }

  /** Begins a row; the values that follow belong to it. */
  begin(at: number): void {
    const row = this.#rows;
    if (row === this.#times.length) this.#times = grown(this.#times, new Float64Array(roomAfter(row)));
    if (row > 0 && at <= (this.#times[row - 1] ?? 0)) this.#isSorted = false;
    this.#times[row] = at;
    this.#rows = row + 1;
    this.#next = 0;
    this.#reading = undefined;
  }

  /** False for the first value of a series: then nothing was stored, and the caller must use `add`. */
  push(series: number, value: Scalar): boolean {
    let column = this.#order[this.#next];
    if (column?.series !== series) column = this.#columns.get(series);
    if (column === undefined) return false;
    this.#next = column.place + 1;
    const row = this.#rows - 1;
    column.push(row, value, this.#times[row] ?? 0);
    this.points += typeof value === "string" ? 1 + (value.length >> 4) : 1;
    return true;
  }

  add(series: number, kind: ColumnKind): void {
    const column = new HotColumn({ series, kind, place: this.#order.length });
    this.#columns.set(series, column);
    this.#order.push(column);
  }

  /** How many series have points in it. */
  get width(): number {
    return this.#order.length;
  }

  /** The newest value of each series. */
  newest(): readonly Latest[] {
    return this.#order.map((column) => column.newest());
  }

  /** All times of its points, sorted, each time once. */
  times(): Float64Array {
    return this.#read().times;
  }

  /** Sorted, each time once. */
  column(series: number): Column | undefined {
    return this.#columns.get(series)?.read(this.#read(), this.#times);
  }

  /** The series that have points in it. */
  series(): Iterable<number> {
    return this.#columns.keys();
  }

  #read(): Reading {
    this.#reading ??= readingOf(this.#times, { rows: this.#rows, isSorted: this.#isSorted });
    return this.#reading;
  }

  *columns(): Iterable<[series: number, column: Column]> {
    for (const series of this.#columns.keys()) {
      const column = this.column(series);
      if (column !== undefined) yield [series, column];
    }
  }
}

/** Rows in order of time, each time once. `order` is undefined when they arrived in that order. */
interface Reading {
  readonly rows: number;
  readonly order: Uint32Array | undefined;
  readonly times: Float64Array;
}

function readingOf(times: Float64Array, { rows, isSorted }: { rows: number; isSorted: boolean }): Reading {
  if (isSorted) return { rows, order: undefined, times: times.slice(0, rows) };
  const order = orderOf(rows, (row) => times[row] ?? 0);
  return { rows, order, times: Float64Array.from(order, (row) => times[row] ?? 0) };
}

/** For equal times the last one to arrive stays. */
function orderOf(count: number, time: (index: number) => number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  order.sort((a, b) => time(a) - time(b) || a - b);
  return order.filter((index, i) => i + 1 === order.length || time(index) !== time(order[i + 1] ?? 0));
}

/** The values of one series in the order of arrival. */
class HotColumn {
  readonly series: number;
  readonly kind: ColumnKind;
  /** Its index among the columns of the hour. */
  readonly place: number;
  #count = 0;
  #newestAt = Number.NEGATIVE_INFINITY;
  #newest = 0;
  #values: Float64Array | Uint8Array | Uint32Array;
  /** The row of each value; undefined while the n-th value is that of the n-th row. */
  #rows: Uint32Array | undefined;
  /** Each text is stored once; values refer to it by number. Other kinds have none. */
  readonly #words: string[] = [];
  #places: Map<string, number> | undefined;
  #lastPlace = 0;

  constructor({ series, kind, place }: { series: number; kind: ColumnKind; place: number }) {
    this.series = series;
    this.kind = kind;
    this.place = place;
    this.#values = valuesFor(kind, FIRST_ROOM);
  }

  push(row: number, value: Scalar, at: number): void {
    const count = this.#count;
    if (at >= this.#newestAt) {
      this.#newestAt = at;
      this.#newest = count;
    }
    if (count === this.#values.length) this.#values = grown(this.#values, valuesFor(this.kind, roomAfter(count)));
    if (this.#rows === undefined && row !== count) {
      this.#rows = new Uint32Array(this.#values.length);
      for (let i = 0; i < count; i++) this.#rows[i] = i;
    }
    if (this.#rows !== undefined) {
      if (count >= this.#rows.length) this.#rows = grown(this.#rows, new Uint32Array(this.#values.length));
      this.#rows[count] = row;
    }
    this.#values[count] = this.kind === "text" ? this.#placeOf(String(value)) : Number(value);
    this.#count = count + 1;
  }

  newest(): Latest {
    const { series, kind } = this;
    const stored = itemAt(this.#values, this.#newest);
    const value = kind === "text" ? (this.#words[stored] ?? "") : kind === "boolean" ? stored === 1 : stored;
    return { series, at: this.#newestAt, value };
  }

  /** The arrays are copies, so they do not grow any further. */
  read({ rows, order, times }: Reading, arrived: Float64Array): Column {
    const { kind } = this;
    const count = this.#count;
    const own = this.#rows;
    if (own === undefined && count === rows) {
      return { kind, count: times.length, times, values: this.#take(order) };
    }
    const time = (index: number) => arrived[own === undefined ? index : (own[index] ?? 0)] ?? 0;
    let isSorted = true;
    for (let i = 1; i < count && isSorted; i++) isSorted = time(i) > time(i - 1);
    const sorted = isSorted ? undefined : orderOf(count, time);
    const length = sorted?.length ?? count;
    const ownTimes = new Float64Array(length);
    for (let i = 0; i < length; i++) ownTimes[i] = time(sorted?.[i] ?? i);
    return { kind, count: length, times: ownTimes, values: this.#take(sorted) };
  }

  #take(order: Uint32Array | undefined): ColumnValues {
    const values = this.#values;
    if (this.kind === "text") {
      const places = order === undefined ? values.subarray(0, this.#count) : order.map((index) => values[index] ?? 0);
      return Array.from(places, (place) => this.#words[place] ?? "");
    }
    if (order === undefined) return values.slice(0, this.#count) as Float64Array | Uint8Array;
    const taken = valuesFor(this.kind, order.length);
    for (let i = 0; i < order.length; i++) taken[i] = values[order[i] ?? 0] ?? 0;
    return taken as Float64Array | Uint8Array;
  }

  /** Most often a device repeats its last text. */
  #placeOf(text: string): number {
    if (text === this.#words[this.#lastPlace]) return this.#lastPlace;
    this.#places ??= new Map();
    let place = this.#places.get(text);
    if (place === undefined) {
      place = this.#words.length;
      this.#words.push(text);
      this.#places.set(text, place);
    }
    this.#lastPlace = place;
    return place;
  }
}

function valuesFor(kind: ColumnKind, room: number): Float64Array | Uint8Array | Uint32Array {
  if (kind === "number") return new Float64Array(room);
  return kind === "boolean" ? new Uint8Array(room) : new Uint32Array(room);
}

/** Little, because points may be scattered over many hours: arrays of 64 bytes lie in the heap itself. */
const FIRST_ROOM = 8;

/** Doubles up to 64, then grows by half: a gateway holds an hour of every device, and unused room costs memory too. */
function roomAfter(count: number): number {
  return count < 64 ? 2 * count : count + (count >> 1);
}

function grown<Values extends Float64Array | Uint8Array | Uint32Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}
