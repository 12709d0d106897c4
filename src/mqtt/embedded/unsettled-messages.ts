// Messages of a connection that went past the broker and are not durable yet, and the acknowledgements of those that are: all of a turn
// are one write.

export interface Settled {
  /** Of the payloads. */
  readonly bytes: number;
  /** Of the messages that are acknowledged. */
  readonly ids: readonly number[];
}

/** With more payload than this nothing is read from the socket. */
const MAX_BYTES = 64 * 1024;
/** With the length of what follows. */
const PUBACK = 0x4002;

export class UnsettledMessages {
  readonly #write: (packets: Buffer) => void;
  #bytes = 0;
  /** To be acknowledged at the end of this turn. */
  #ids: number[] = [];

  constructor(write: (packets: Buffer) => void) {
    this.#write = write;
  }

  get isFull(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  begin(bytes: number): void {
    this.#bytes += bytes;
  }

  settle({ bytes, ids }: Settled): void {
    this.#bytes -= bytes;
    if (ids.length > 0 && this.#ids.length === 0) process.nextTick(() => this.acknowledge());
    for (const id of ids) this.#ids.push(id);
  }

  /** Writes the acknowledgements so far: another one, which the broker writes, may come after them. */
  acknowledge(): void {
    const ids = this.#ids;
    if (ids.length === 0) return;
    this.#ids = [];
    const packets = Buffer.allocUnsafe(ids.length * 4);
    for (const [index, id] of ids.entries()) packets.writeUInt32BE(PUBACK * 65_536 + id, index * 4);
    this.#write(packets);
  }
}
