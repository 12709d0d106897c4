/** Reads what `ByteWriter` wrote. Never reads outside its bytes: what is missing or impossible throws an Error that says so. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly #what: string;
  /** Position of the next byte. */
  at = 0;

  /** `what` names the content in errors, for example "numbers". */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  damaged(reason: string): Error {
    return new Error(`Damaged ${this.#what}: ${reason}.`);
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw this.damaged("the bytes end too early");
    this.at++;
    return value;
  }

  unsigned(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte();
      value += (byte & 127) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw this.damaged("a number is too long");
      if (byte < 128) return value;
      if (unit > 2 ** 50) throw this.damaged("a number is too long");
    }
  }

  signed(): number {
    const first = this.byte();
    const low = (first & 127) >> 1;
    const magnitude = first < 128 ? low : low + this.unsigned() * 64;
    if (magnitude > Number.MAX_SAFE_INTEGER) throw this.damaged("a number is too long");
    return first & 1 ? 0 - magnitude : magnitude;
  }

  word(): number {
    return this.view.getInt32(this.skip(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.skip(8), true);
  }

  /** Steps over `length` bytes and returns where they begin. */
  skip(length: number): number {
    if (length > this.left) throw this.damaged("the bytes end too early");
    const begin = this.at;
    this.at += length;
    return begin;
  }

  take(length: number): Uint8Array {
    const begin = this.skip(length);
    return this.bytes.subarray(begin, begin + length);
  }

  /** A count that must not exceed `room`. */
  count(room: number): number {
    const count = this.unsigned();
    if (count > room) throw this.damaged(`${count} values do not fit into the room for ${room}`);
    return count;
  }

  finish(): void {
    if (this.left > 0) throw this.damaged(`${this.left} bytes are left over`);
  }
}
