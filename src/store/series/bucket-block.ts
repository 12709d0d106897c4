// Finished buckets of one series, a block at a time. How they are made is up to the classes that extend it.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { Scalar } from "./batch.ts";
import type { Column } from "./column.ts";

export const BLOCK = 1_024;

export abstract class BucketBlock {
  /** The kind of the results. */
  readonly kind: Column["kind"];
  protected starts = takeRoom();
  /** Results of the block: numbers in an array of their own, so that they need no objects, or other values. */
  protected numbers: Float64Array;
  protected readonly others: Scalar[] = [];
  protected size = 0;
  protected isDone = false;
  protected isWaiting = false;
  #at = 0;

  constructor(kind: Column["kind"]) {
    this.kind = kind;
    this.numbers = kind === "number" ? takeRoom() : NOTHING;
  }

  /** Makes progress: finishes buckets, or sets `isDone` or `isWaiting`. There is room for at least one bucket. */
  protected abstract advance(): void;

  /**
   * Start of the next bucket; infinity when there is none left; minus infinity when only the next view of the store
   * can know.
   */
  next(): number {
    if (this.#at >= this.size) this.#load();
    return this.starts[this.#at] ?? 0;
  }

  /** How many buckets are ready without reading further. */
  get ready(): number {
    return this.size - this.#at;
  }

  /**
   * How many of the next `count` buckets start at the same times as those of another stream. Both streams have that
   * many ready.
   */
  countAlike(other: BucketBlock, count: number): number {
    const [own, others] = [this.starts, other.starts];
    const [ownAt, otherAt] = [this.#at, other.#at];
    let alike = 0;
    while (alike < count && own[ownAt + alike] === others[otherAt + alike]) alike++;
    return alike;
  }

  copyStarts(target: Float64Array, place: number, count: number): void {
    target.set(this.starts.subarray(this.#at, this.#at + count), place);
  }

  /** Like `takeNumber`, `count` times. All of them must be ready. */
  takeNumbers(target: Float64Array, place: number, count: number): void {
    target.set(this.numbers.subarray(this.#at, this.#at + count), place);
    this.#at += count;
  }

  take(): Scalar {
    return this.kind === "number" ? this.takeNumber() : (this.others[this.#at++] ?? 0);
  }

  takeNumber(): number {
    return this.numbers[this.#at++] ?? 0;
  }

  #load(): void {
    this.size = 0;
    this.#at = 0;
    this.others.length = 0;
    this.isWaiting = false;
    while (this.size < BLOCK && !this.isDone && !this.isWaiting) this.advance();
    if (this.size > 0) return;
    if (this.isWaiting) this.starts[0] = Number.NEGATIVE_INFINITY;
    else this.#end();
  }

  /** Nothing is left: its room may be another's. */
  #end(): void {
    if (this.starts === ENDED) return;
    giveRoom(this.starts);
    if (this.numbers !== NOTHING) giveRoom(this.numbers);
    this.starts = ENDED;
    this.numbers = NOTHING;
  }
}

const NOTHING = new Float64Array(0);
/** What the start of the next bucket is when there is none. */
const ENDED = Float64Array.of(Number.POSITIVE_INFINITY);

/**
 * Rooms that are used again. With new ones, ten columns by the minute left 320 kB behind, and V8 collected all objects of the thread every 60
 * queries.
 */
const rooms: Float64Array[] = [];
const MOST_ROOMS = 64;

function takeRoom(): Float64Array {
  return rooms.pop() ?? new Float64Array(BLOCK);
}

function giveRoom(room: Float64Array): void {
  if (rooms.length < MOST_ROOMS) rooms.push(room);
}
