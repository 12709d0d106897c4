import { type Digits, findDigits } from "./shortest-digits.ts";

/** "000" to "999", three bytes each. */
const TRIPLES = Uint8Array.from(
  { length: 3000 },
  (_, i) => 48 + (Math.floor(Math.floor(i / 3) / 10 ** (2 - (i % 3))) % 10),
);
const MINUS = 45;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const QUOTE = 34;
const CR = 13;
const LF = 10;
/** Longer than any number String() gives (25) and any digits written here. */
const NUMBER_ROOM = 32;
/** Adding and taking away this rounds numbers from 0 to 2^52 to whole ones. */
const ROUND = 2 ** 52;

const encoder = new TextEncoder();
const digits: Digits = { whole: 0, places: 0, high: 0, low: 0 };

/** Writes CSV straight to bytes: numbers without a string between, texts quoted by RFC 4180, lines ended as `newline` says. */
export class CsvBytes {
  #bytes: Uint8Array;
  #length = 0;

  /** `room` is a guess at the length in bytes; more is found when needed. */
  constructor(room = 4096) {
    this.#bytes = new Uint8Array(Math.max(room, NUMBER_ROOM));
  }

  get length(): number {
    return this.#length;
  }

  /** What was written since the last `take`, as bytes of its own. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  comma(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = COMMA;
  }

  newline(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = LF;
  }

  /** Exactly the characters of String(value). */
  number(value: number): void {
    this.#reserve(NUMBER_ROOM);
    if (value === (value | 0)) this.#signed(value);
    else if (!this.#decimal(value) && !this.#shortest(value)) this.#ascii(String(value));
  }

  /** Exactly the characters of String(value), for whole numbers. */
  integer(value: number): void {
    this.#reserve(NUMBER_ROOM);
    if (Number.isSafeInteger(value)) this.#signed(value);
    else this.#ascii(String(value));
  }

  /** Whole milliseconds as seconds with three decimals: 1700000000120 is 1700000000.120. */
  millis(value: number): void {
    this.#reserve(NUMBER_ROOM);
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    const magnitude = Math.abs(value);
    const seconds = Math.floor(magnitude / 1000);
    this.#unsigned(seconds);
    this.#bytes[this.#length++] = POINT;
    this.#triple(magnitude - seconds * 1000);
  }

  /** A text field, quoted when it holds a comma, a quote or a line break. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    // A UTF-16 unit takes at most three bytes, a quote two.
    this.#reserve(value.length * 3 + 2);
    const from = this.#length;
    const bytes = this.#bytes;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= 128 || unit === COMMA || unit === QUOTE || unit === CR || unit === LF) {
        this.#length = from;
        this.#anyText(value);
        return;
      }
      bytes[this.#length++] = unit;
    }
  }

  #anyText(value: string): void {
    const quoted = /[",\r\n]/.test(value);
    const content = quoted ? `"${value.replaceAll('"', '""')}"` : value;
    this.#length += encoder.encodeInto(content, this.#bytes.subarray(this.#length)).written;
  }

  #ascii(value: string): void {
    for (let i = 0; i < value.length; i++) this.#bytes[this.#length++] = value.charCodeAt(i);
  }

  #signed(value: number): void {
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    this.#unsigned(Math.abs(value));
  }

  /**
   * Writes a value that is a decimal of few places, and says whether it was one. At most 15 digits are looked at: no other decimal of
   * so few digits is the same double, so these are the ones that String() finds.
   */
  #decimal(value: number): boolean {
    const magnitude = Math.abs(value);
    // String() turns to exponents below a millionth.
    if (!(magnitude >= 1e-6 && magnitude < 2 ** 53)) return false;
    const whole = Math.floor(magnitude);
    if (whole === magnitude) {
      this.#signed(value);
      return true;
    }
    const power = magnitude < 1e6 ? 1e9 : magnitude < 1e9 ? 1e6 : 1e3;
    const digits = magnitude * power + ROUND - ROUND;
    if (digits / power !== magnitude || digits >= 1e15) return false;
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    this.#unsigned(whole);
    this.#bytes[this.#length++] = POINT;
    this.#fraction((digits - whole * power) * (1e9 / power));
    return true;
  }

  /** Writes any other value of ordinary size, and says whether it did. */
  #shortest(value: number): boolean {
    if (!findDigits(Math.abs(value), digits)) return false;
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    this.#unsigned(digits.whole);
    this.#bytes[this.#length++] = POINT;
    const { high, low, places } = digits;
    if (places > 9) this.#padded(high, places - 9);
    this.#padded(low, Math.min(places, 9));
    while (this.#bytes[this.#length - 1] === ZERO) this.#length--;
    return true;
  }

  /** A whole number below 10^9, with zeros before it. */
  #padded(value: number, places: number): void {
    let rest = value | 0;
    for (let at = this.#length + places - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += places;
  }

  /** A whole number from 0 to 2^53. */
  #unsigned(value: number): void {
    if (value < 1e9) {
      this.#small(value);
      return;
    }
    const high = Math.floor(value / 1e9);
    this.#small(high);
    const low = (value - high * 1e9) | 0;
    this.#triple((low / 1e6) | 0);
    this.#triple(((low / 1e3) | 0) % 1000);
    this.#triple(low % 1000);
  }

  /** A whole number below 10^9, without leading zeros. */
  #small(value: number): void {
    const rest = value | 0;
    if (rest < 1000) {
      this.#lead(rest);
      return;
    }
    const thousands = (rest / 1000) | 0;
    if (thousands < 1000) this.#lead(thousands);
    else {
      const millions = (thousands / 1000) | 0;
      this.#lead(millions);
      this.#triple(thousands - millions * 1000);
    }
    this.#triple(rest - thousands * 1000);
  }

  #lead(value: number): void {
    const at = value * 3;
    if (value >= 100) this.#bytes[this.#length++] = TRIPLES[at] ?? ZERO;
    if (value >= 10) this.#bytes[this.#length++] = TRIPLES[at + 1] ?? ZERO;
    this.#bytes[this.#length++] = TRIPLES[at + 2] ?? ZERO;
  }

  #triple(value: number): void {
    const at = value * 3;
    const bytes = this.#bytes;
    const length = this.#length;
    bytes[length] = TRIPLES[at] ?? ZERO;
    bytes[length + 1] = TRIPLES[at + 1] ?? ZERO;
    bytes[length + 2] = TRIPLES[at + 2] ?? ZERO;
    this.#length = length + 3;
  }

  /** Billionths, from 1 to 10^9 - 1, without trailing zeros. */
  #fraction(value: number): void {
    const billionths = value | 0;
    const millionths = (billionths / 1000) | 0;
    const thousandths = (millionths / 1000) | 0;
    this.#triple(thousandths);
    if (thousandths * 1e6 !== billionths) {
      this.#triple(millionths - thousandths * 1000);
      if (millionths * 1000 !== billionths) this.#triple(billionths - millionths * 1000);
    }
    while (this.#bytes[this.#length - 1] === ZERO) this.#length--;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
