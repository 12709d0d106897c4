import { NUMBER_ROOM, writeNumber, writeTriple, writeWhole } from "./write-number.ts";

const MINUS = 45;
const COMMA = 44;
const POINT = 46;
const QUOTE = 34;
const CR = 13;
const LF = 10;
const WORD = 4;
/** Rows between two looks at the room; long ones are fewer. */
const STRETCH = 16;
const STRETCH_BYTES = 16 * 1024;
/** Texts that are remembered. */
const MAX_PLACES = 64;
/** Bytes from which on a call into the engine copies quicker than a loop. */
const LONG = 256;

const encoder = new TextEncoder();

interface Numbers {
  readonly first: number;
  readonly step: number;
  readonly end: number;
}

/** Writes CSV straight to bytes: numbers without a string between, texts quoted by RFC 4180, lines ended by a line feed. */
export class CsvBytes {
  #bytes: Uint8Array;
  /** Of the same memory. */
  #view: DataView;
  #length = 0;
  /** Where texts were written: they repeat, and copying bytes is quicker than encoding them. */
  readonly #places = new Map<string, { readonly from: number; readonly to: number }>();

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
    this.#places.clear();
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

  /** What was written from one length to another, once more. */
  again(from: number, to: number): void {
    this.#reserve(to - from + WORD);
    let at = this.#length;
    this.#length = at + to - from;
    if (to - from > LONG) {
      this.#bytes.copyWithin(at, from, to);
      return;
    }
    // By words: the last may take along bytes that follow, which are overwritten by what is written next.
    for (let i = from; i < to; i += WORD, at += WORD) this.#view.setUint32(at, this.#view.getUint32(i));
  }

  /**
   * Rows of whole numbers, none negative, each followed by what was written from one length to another: from `first` on, `step` apart
   * and before `end`, until there are `limit` bytes. Gives the number of the next row.
   */
  rows({ first, step, end }: Numbers, from: number, { to, limit }: { to: number; limit: number }): number {
    const width = to - from;
    const stretch = Math.max(1, Math.min(STRETCH, Math.floor(STRETCH_BYTES / (width + 1))));
    let value = first;
    while (value < end && this.#length < limit) {
      this.#reserve(stretch * (width + NUMBER_ROOM) + WORD);
      const view = this.#view;
      let at = this.#length;
      for (let row = 0; row < stretch && value < end; row++) {
        at = writeWhole(view, at, value);
        for (let i = 0; i < width; i += WORD) view.setUint32(at + i, view.getUint32(from + i));
        at += width;
        value += step;
      }
      this.#length = at;
    }
    return value;
  }

  /** Exactly the characters of String(value). */
  number(value: number): void {
    this.#reserve(NUMBER_ROOM);
    this.#length = writeNumber(this.#view, this.#length, value);
  }

  /** The same for whole numbers, without a look for decimals. */
  integer(value: number): void {
    this.#reserve(NUMBER_ROOM);
    if (!Number.isSafeInteger(value)) {
      this.#length = writeNumber(this.#view, this.#length, value);
      return;
    }
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    this.#length = writeWhole(this.#view, this.#length, Math.abs(value));
  }

  /** Whole milliseconds as seconds with three decimals: 1700000000120 is 1700000000.120. */
  millis(value: number): void {
    this.#reserve(NUMBER_ROOM);
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    const magnitude = Math.abs(value);
    const seconds = Math.floor(magnitude / 1000);
    const point = writeWhole(this.#view, this.#length, seconds);
    this.#bytes[point] = POINT;
    this.#length = writeTriple(this.#view, point + 1, magnitude - seconds * 1000);
  }

  /** A text field, quoted when it holds a comma, a quote or a line break, and when it is empty: an empty field is no text. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    const place = this.#places.get(value);
    if (place !== undefined) {
      this.again(place.from, place.to);
      return;
    }
    // A UTF-16 unit takes at most three bytes, a quote becomes two, and two go around.
    this.#reserve(value.length * 3 + 2);
    const bytes = this.#bytes;
    const from = this.#length;
    let at = from;
    if (isPlain(value)) for (let i = 0; i < value.length; i++) bytes[at++] = value.charCodeAt(i);
    else at += encoder.encodeInto(quoted(value), bytes.subarray(at)).written;
    this.#length = at;
    if (this.#places.size < MAX_PLACES) this.#places.set(value, { from, to: at });
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Whether each character is a byte that means nothing in CSV. */
function isPlain(value: string): boolean {
  if (value === "") return false;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit >= 128 || unit === COMMA || unit === QUOTE || unit === CR || unit === LF) return false;
  }
  return true;
}

function quoted(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
