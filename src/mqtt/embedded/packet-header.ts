import { itemAt } from "#core/item-at.ts";

/** How every MQTT packet begins. */
export interface PacketHeader {
  readonly type: number;
  readonly length: number;
  /** Bytes of the header itself. */
  readonly size: number;
}

export function readHeader(chunk: Buffer, at: number): PacketHeader | "incomplete" | "invalid" {
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = chunk[at + index];
    if (byte === undefined) return "incomplete";
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return { type: itemAt(chunk, at) >> 4, length, size: index + 1 };
  }
  return "invalid";
}

export function encodeLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  do {
    const more = rest >= 0x80;
    bytes.push((rest % 128) + (more ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}
