// Reading WebAssembly byte by byte: numbers in LEB128, and how long an instruction is.

export interface ByteReader {
  at(): number;
  isDone(): boolean;
  byte(): number;
  unsigned(): number;
  take(length: number): Uint8Array;
  rest(): Uint8Array;
}

export function createByteReader(bytes: Uint8Array): ByteReader {
  let at = 0;
  const byte = (): number => {
    const value = bytes[at++];
    if (value === undefined) throw new RangeError("the module ends early");
    return value;
  };
  return {
    at: () => at,
    isDone: () => at >= bytes.length,
    byte,
    unsigned() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const next = byte();
        value += (next & 0x7f) * 2 ** shift;
        if (next < 0x80) return value;
      }
    },
    take(length) {
      at += length;
      return bytes.subarray(at - length, at);
    },
    rest: () => bytes.subarray(at),
  };
}

export function encodeUnsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  do {
    bytes.push(left >= 0x80 ? (left & 0x7f) | 0x80 : left);
    left = Math.floor(left / 0x80);
  } while (left > 0);
  return Uint8Array.from(bytes);
}

/** Goes past one instruction and answers its opcode. Every LEB128 number ends with the first byte below 0x80. */
export function skipInstruction(reader: ByteReader): number {
  const opcode = reader.byte();
  if (opcode === 0x0e) {
    for (let count = reader.unsigned() + 1; count > 0; count -= 1) reader.unsigned();
  } else if (opcode === 0xfc) skipNumbers(reader, EXTENDED[reader.unsigned()]);
  else if (opcode === 0x43) reader.take(4);
  else if (opcode === 0x44) reader.take(8);
  else skipNumbers(reader, numbersAfter(opcode));
  return opcode;
}

function skipNumbers(reader: ByteReader, count: number | undefined): void {
  if (count === undefined) throw new RangeError("the module has an instruction that is not known");
  for (let left = count; left > 0; left -= 1) reader.unsigned();
}

/** Saturating conversions have none; memory.init, data.drop, copy and fill; table.init, elem.drop and copy. */
const EXTENDED = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2];

function numbersAfter(opcode: number): number | undefined {
  if (opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f) return 0;
  if (opcode >= 0x02 && opcode <= 0x04) return 1;
  if (opcode === 0x0c || opcode === 0x0d || opcode === 0x10) return 1;
  if (opcode === 0x11) return 2;
  if (opcode === 0x1a || opcode === 0x1b) return 0;
  if (opcode >= 0x20 && opcode <= 0x26) return 1;
  if (opcode >= 0x28 && opcode <= 0x3e) return 2;
  if (opcode >= 0x3f && opcode <= 0x42) return 1;
  return opcode >= 0x45 && opcode <= 0xc4 ? 0 : undefined;
}
