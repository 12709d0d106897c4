import { itemAt } from "#core/item-at.ts";
import { NUMBER_ROOM, writeNumber, writeTriple, writeWhole } from "./write-number.ts";

const MINUS = 45;
const COMMA = 44;
const POINT = 46;
const QUOTE = 34;
const CR = 13;
const LF = 10;
const WORD = 4;
/** Rows between two looks at the room. */
const STRETCH = 16;
/** Bytes from which on a call into the engine copies quicker than a loop. */
const LONG = 256;
/** Times of ten digits as seconds, from 2001 to 2286. */
const LEAST_MODERN = 1e12;
const AFTER_MODERN = 1e13;
const MODERN_DIGITS = 10;

const encoder = new TextEncoder();

/** Writes CSV straight to bytes: numbers without a string between, texts quoted by RFC 4180, lines ended by a line feed. */
export class CsvBytes {
  #bytes: Uint8Array;
  /** A view of the same memory. */
  #view: DataView;
  #length = 0;
  // The row that was begun last: its time, how that is written, and where it and the first cell begin.
  #rowTime = 0;
  #isWhole = true;
  #rowFrom = 0;
  #cellsFrom = 0;

  /** `room` is a guess at the length in bytes; more is found when needed. */
  constructor(room = 4096) {
    this.#bytes = new Uint8Array(Math.max(room, NUMBER_ROOM));
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** What was written since the last `take`, as bytes of its own. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.clear();
    return taken;
  }

  /** Forgets what was not taken. */
  clear(): void {
    this.#length = 0;
  }

  /** Text as it is. */
  plain(text: string): void {
    this.#reserve(text.length * 3);
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  comma(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = COMMA;
  }

  newline(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = LF;
  }

  /** Begins a row with its time in milliseconds, written as seconds: `isWhole` leaves out the decimals, of which there must be none. */
  row(time: number, isWhole: boolean): void {
    this.#rowTime = time;
    this.#isWhole = isWhole;
    this.#rowFrom = this.#length;
    this.#writeTime(time);
    this.#cellsFrom = this.#length;
  }

  /** The row that ends here `count` times more, each `step` milliseconds later than the one before. */
  repeat(step: number, count: number): void {
    const width = this.#length - this.#rowFrom;
    const isModern = this.#rowTime >= LEAST_MODERN && this.#rowTime + count * step < AFTER_MODERN;
    if (this.#isWhole && isModern && width <= LONG) {
      this.#repeatModern(step, count);
      return;
    }
    const [from, to] = [this.#cellsFrom, this.#length];
    for (let row = 0; row < count; row++) {
      this.row(this.#rowTime + step, this.#isWhole);
      this.#again(from, to);
    }
  }

  /** Each row is the one before it with other digits, mostly the last three. */
  #repeatModern(step: number, count: number): void {
    const width = this.#length - this.#rowFrom;
    const behind = itemAt(this.#bytes, this.#cellsFrom);
    let high = Math.floor(this.#rowTime / 1e6);
    const stepSeconds = step / 1_000;
    let low = this.#rowTime / 1_000 - high * 1_000;
    let left = count;
    while (left > 0) {
      const stretch = Math.min(left, STRETCH);
      left -= stretch;
      this.#reserve(stretch * width + WORD);
      const view = this.#view;
      let at = this.#length;
      for (let row = 0; row < stretch; row++, at += width) {
        for (let i = 0; i < width; i += WORD) view.setUint32(at + i, view.getUint32(at + i - width));
        low += stepSeconds;
        if (low >= 1_000) {
          const carried = Math.floor(low / 1_000);
          high += carried;
          low -= carried * 1_000;
          writeWhole(view, at, high);
        }
        writeTriple(view, at + MODERN_DIGITS - 3, low);
        view.setUint8(at + MODERN_DIGITS, behind);
      }
      this.#length = at;
    }
    this.#rowTime += count * step;
    this.#rowFrom += count * width;
    this.#cellsFrom += count * width;
  }

  /** What was written from one length to another, once more. */
  #again(from: number, to: number): void {
    this.#reserve(to - from + WORD);
    let at = this.#length;
    this.#length = at + to - from;
    if (to - from > LONG) {
      this.#bytes.copyWithin(at, from, to);
      return;
    }
    // Copied by words: the last word may include bytes that follow, and the next write overwrites them.
    for (let i = from; i < to; i += WORD, at += WORD) this.#view.setUint32(at, this.#view.getUint32(i));
  }

  /** Exactly the characters of String(value). */
  number(value: number): void {
    this.#reserve(NUMBER_ROOM);
    this.#length = writeNumber(this.#view, this.#length, value);
  }

  /** A text field, quoted when it holds a comma, a quote or a line break, and when it is empty: an empty field is no text. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    // A UTF-16 unit takes at most three bytes, a quote becomes two, and two go around.
    this.#reserve(value.length * 3 + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= 128 || unit === COMMA || unit === QUOTE || unit === CR || unit === LF) {
        this.plain(quoted(value));
        return;
      }
      bytes[at++] = unit;
    }
    if (value === "") this.plain(quoted(value));
    else this.#length = at;
  }

  /** Seconds, with three decimals or none: 1700000000120 is 1700000000.120. */
  #writeTime(time: number): void {
    this.#reserve(NUMBER_ROOM);
    if (time < 0) this.#bytes[this.#length++] = MINUS;
    const magnitude = Math.abs(time);
    const seconds = Math.floor(magnitude / 1000);
    this.#length = writeWhole(this.#view, this.#length, seconds);
    if (this.#isWhole) return;
    this.#bytes[this.#length] = POINT;
    this.#length = writeTriple(this.#view, this.#length + 1, magnitude - seconds * 1000);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function quoted(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
