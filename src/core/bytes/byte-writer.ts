// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

/** Collects bytes of unknown number; grows by doubling. All multi-byte values are little-endian on every machine. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(room: number) {
    this.#bytes = new Uint8Array(Math.max(16, room));
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** Whole number from 0 to 2^53: seven bits a byte, lowest first, the top bit says that more follow. */
  unsigned(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = 128 | (rest % 128);
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Whole number of magnitude up to 2^53: like `unsigned`, but the lowest bit of the first byte is the sign. */
  signed(value: number): void {
    this.#reserve(9);
    const sign = value < 0 ? 1 : 0;
    const magnitude = Math.abs(value);
    const low = ((magnitude % 64) << 1) | sign;
    const rest = Math.floor(magnitude / 64);
    this.#bytes[this.#length++] = rest > 0 ? low | 128 : low;
    if (rest > 0) this.unsigned(rest);
  }

  word(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#length, value, true);
    this.#length += 4;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** The lowest `width` bits (0 to 32) of each of the first `count` values, end to end; the last byte is filled up with zeros. */
  packed(values: Uint32Array, count: number, width: number): void {
    if (width === 0) return;
    this.#reserve(Math.ceil((count * width) / 8) + 4);
    let pending = 0;
    let bits = 0;
    for (let i = 0; i < count; i++) {
      const value = values[i] ?? 0;
      pending |= value << bits;
      bits += width;
      if (bits >= 32) {
        this.#view.setInt32(this.#length, pending, true);
        this.#length += 4;
        bits -= 32;
        pending = bits > 0 ? value >>> (width - bits) : 0;
      }
    }
    for (; bits > 0; bits -= 8) {
      this.#bytes[this.#length++] = pending;
      pending >>>= 8;
    }
  }

  /** A copy of what was written. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
