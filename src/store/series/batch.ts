// One commit's worth of telemetry as bytes. The journal stores the same bytes that the threads exchange, so a batch is
// encoded once, and one decoder reads it both on arrival and in a replay after a crash.
//
//   batch   := (definition | message | forget)*     (a tag byte before each)
//   1 definition := series u32, device u32, kind u8, deviceId text16, attribute text16
//   2 message    := device u32, at f64 (Unix ms), values u16, value*
//   value        := series u32, then by its kind: f64 | u8 | text32
//   3 forget     := device u32: everything earlier of this device is deleted
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { KnownTexts } from "#tuning/known-texts.ts";

export const KINDS: readonly ColumnKind[] = ["number", "boolean", "text"];
export type Scalar = number | boolean | string;

export interface SeriesDefinition {
  readonly series: number;
  readonly device: number;
  readonly deviceId: string;
  readonly attribute: string;
  readonly kind: ColumnKind;
}

const DEFINITION = 1;
const MESSAGE = 2;
const FORGET = 3;
const NUMBER = 0;
const BOOLEAN = 1;
const TEXT = 2;

const ROOM = 64 * 1024;
/** A larger buffer is released, so that one large batch does not cost memory for ever. */
const KEPT_ROOM = 1024 * 1024;

/** Grows as needed; `take` returns the bytes and starts over. */
export class BatchWriter {
  #bytes = Buffer.allocUnsafe(ROOM);
  #view = viewOf(this.#bytes);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  define({ series, device, deviceId, attribute, kind }: SeriesDefinition): void {
    this.#reserve(14 + (deviceId.length + attribute.length) * 3);
    this.#at = this.#bytes.writeUInt8(DEFINITION, this.#at);
    this.#at = this.#bytes.writeUInt32LE(series, this.#at);
    this.#at = this.#bytes.writeUInt32LE(device, this.#at);
    this.#at = this.#bytes.writeUInt8(KINDS.indexOf(kind), this.#at);
    this.#text16(deviceId);
    this.#text16(attribute);
  }

  /** Must be followed by exactly `values` calls of `value`. */
  message(device: number, at: number, values: number): void {
    this.#reserve(15);
    const from = this.#at;
    this.#bytes[from] = MESSAGE;
    this.#view.setUint32(from + 1, device, true);
    this.#view.setFloat64(from + 5, at, true);
    this.#view.setUint16(from + 13, values, true);
    this.#at = from + 15;
  }

  value(series: number, value: Scalar): void {
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(typeof value === "string" ? 9 + value.length * 3 : 13);
    const from = this.#at;
    this.#view.setUint32(from, series, true);
    if (typeof value === "number") {
      this.#bytes[from + 4] = NUMBER;
      this.#view.setFloat64(from + 5, value, true);
      this.#at = from + 13;
    } else if (typeof value === "boolean") {
      this.#bytes[from + 4] = BOOLEAN;
      this.#bytes[from + 5] = value ? 1 : 0;
      this.#at = from + 6;
    } else {
      this.#bytes[from + 4] = TEXT;
      const length = this.#bytes.write(value, from + 9, "utf8");
      this.#view.setUint32(from + 5, length, true);
      this.#at = from + 9 + length;
    }
  }

  forget(device: number): void {
    this.#reserve(5);
    this.#at = this.#bytes.writeUInt8(FORGET, this.#at);
    this.#at = this.#bytes.writeUInt32LE(device, this.#at);
  }

  /** Removes what was written since the writer had this length. */
  rewind(length: number): void {
    this.#at = length;
  }

  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#at);
    taken.set(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    if (this.#bytes.length > KEPT_ROOM) {
      this.#bytes = Buffer.allocUnsafe(ROOM);
      this.#view = viewOf(this.#bytes);
    }
    return taken;
  }

  #text16(text: string): void {
    const length = Buffer.byteLength(text);
    this.#at = this.#bytes.writeUInt16LE(length, this.#at);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export interface BatchReader {
  define(definition: SeriesDefinition): void;
  /** Begins a message; the values that follow belong to it. */
  message(device: number, at: number): void;
  value(series: number, value: Scalar): void;
  forget(device: number): void;
}

export function readBatch(batch: Uint8Array, reader: BatchReader, texts = new KnownTexts()): void {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at++];
    if (tag === DEFINITION) at = readDefinition(bytes, at, (definition) => reader.define(definition));
    else if (tag === MESSAGE) {
      reader.message(view.getUint32(at, true), view.getFloat64(at + 4, true));
      const values = view.getUint16(at + 12, true);
      at += 14;
      for (let i = 0; i < values; i++) {
        const series = view.getUint32(at, true);
        const kind = bytes[at + 4];
        at += 5;
        if (kind === NUMBER) {
          reader.value(series, view.getFloat64(at, true));
          at += 8;
        } else if (kind === BOOLEAN) {
          reader.value(series, bytes[at] === 1);
          at += 1;
        } else {
          const end = at + 4 + view.getUint32(at, true);
          reader.value(series, texts.read(bytes, at + 4, end));
          at = end;
        }
      }
    } else if (tag === FORGET) {
      reader.forget(view.getUint32(at, true));
      at += 4;
    } else {
      throw new Error(`a telemetry batch is damaged at byte ${at - 1}`);
    }
  }
}

/** Reads the definitions alone and skips everything else. */
export function readDefinitions(batch: Uint8Array, define: (definition: SeriesDefinition) => void): void {
  walkBatch(batch, { define, part: () => {} });
}

/** Calls `each` with the place of every message, and of everything else that belongs to one device. */
export function readDeviceParts(batch: Uint8Array, each: (device: number, from: number, to: number) => void): void {
  walkBatch(batch, { define: () => {}, part: each });
}

interface Walker {
  readonly define: (definition: SeriesDefinition) => void;
  readonly part: (device: number, from: number, to: number) => void;
}

function walkBatch(batch: Uint8Array, { define, part }: Walker): void {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const from = at;
    const tag = bytes[at++];
    if (tag === DEFINITION) {
      at = readDefinition(bytes, at, define);
      continue;
    }
    const device = view.getUint32(at, true);
    if (tag === FORGET) at += 4;
    else if (tag === MESSAGE) {
      const values = view.getUint16(at + 12, true);
      at += 14;
      for (let i = 0; i < values; i++) {
        const kind = bytes[at + 4];
        at += 5 + (kind === NUMBER ? 8 : kind === BOOLEAN ? 1 : 4 + view.getUint32(at + 5, true));
      }
    } else throw new Error(`a telemetry batch is damaged at byte ${at - 1}`);
    part(device, from, at);
  }
}

/** Returns where the definition ends. */
function readDefinition(bytes: Buffer, from: number, define: (definition: SeriesDefinition) => void): number {
  const series = bytes.readUInt32LE(from);
  const device = bytes.readUInt32LE(from + 4);
  const kind = KINDS[bytes.readUInt8(from + 8)] ?? "text";
  const idEnd = from + 11 + bytes.readUInt16LE(from + 9);
  const end = idEnd + 2 + bytes.readUInt16LE(idEnd);
  const deviceId = bytes.toString("utf8", from + 11, idEnd);
  define({ series, device, deviceId, attribute: bytes.toString("utf8", idEnd + 2, end), kind });
  return end;
}
