// Protocol data units of Modbus: requests and answers without address and checksum.
import { itemAt } from "#core/item-at.ts";
import { MAX_SPAN } from "#core/modbus/modbus-map.ts";
import { ConnectionError } from "#drivers/connection-error.ts";

export type ReadTable = "coils" | "discrete_inputs" | "holdings" | "inputs";
export type WriteKind = "coil" | "holding" | "multiple_coils" | "multiple_holdings";

export const READ_CODES = { coils: 1, discrete_inputs: 2, holdings: 3, inputs: 4 } as const;
export const WRITE_CODES = { coil: 5, holding: 6, multiple_coils: 15, multiple_holdings: 16 } as const;
/** The most values that fit one frame. */
export const MAX_READ = {
  coils: MAX_SPAN.coil,
  discrete_inputs: MAX_SPAN.discrete,
  holdings: MAX_SPAN.holding,
  inputs: MAX_SPAN.input,
} as const;
export const MAX_WRITE = { coil: 1, holding: 1, multiple_coils: 1968, multiple_holdings: 123 } as const;
export const EXCEPTION_BIT = 0x80;
const COIL_ON = 0xff00;

const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: "illegal function",
  2: "illegal data address",
  3: "illegal data value",
  4: "server device failure",
  5: "acknowledge",
  6: "server device busy",
  8: "memory parity error",
  10: "gateway path unavailable",
  11: "gateway target device failed to respond",
};

export function readRequest(table: ReadTable, register: number, count: number): Uint8Array {
  return Uint8Array.of(READ_CODES[table], register >> 8, register & 0xff, count >> 8, count & 0xff);
}

/** Values are 0..65535 for registers; for coils anything but 0 is on. */
export function writeRequest(kind: WriteKind, register: number, values: readonly number[]): Uint8Array {
  const head = [WRITE_CODES[kind], register >> 8, register & 0xff];
  const count = [values.length >> 8, values.length & 0xff];
  const [value = 0] = values;
  switch (kind) {
    case "coil":
      return Uint8Array.of(...head, ...bytesOf(value === 0 ? 0 : COIL_ON));
    case "holding":
      return Uint8Array.of(...head, ...bytesOf(value));
    case "multiple_holdings":
      return Uint8Array.of(...head, ...count, values.length * 2, ...values.flatMap(bytesOf));
    case "multiple_coils": {
      const bits = packBits(values);
      return Uint8Array.of(...head, ...count, bits.length, ...bits);
    }
  }
}

/** The numbers of an answer to `readRequest`; coils are 0 and 1. */
export function readAnswer(table: ReadTable, count: number, pdu: Uint8Array): readonly number[] {
  checkCode(READ_CODES[table], pdu);
  const isBits = table === "coils" || table === "discrete_inputs";
  const length = isBits ? Math.ceil(count / 8) : count * 2;
  if (pdu[1] !== length || pdu.length !== length + 2)
    throw new ConnectionError("answer", `the answer has ${pdu.length - 2} bytes of data instead of ${length}`);
  return Array.from({ length: count }, (_, at) =>
    isBits ? (itemAt(pdu, 2 + (at >> 3)) >> (at & 7)) & 1 : (itemAt(pdu, 2 + at * 2) << 8) | itemAt(pdu, 3 + at * 2),
  );
}

/** The answer to a write repeats the first bytes of the request. */
export function checkWriteAnswer(request: Uint8Array, pdu: Uint8Array): void {
  checkCode(itemAt(request, 0), pdu);
  if (pdu.length !== 5 || pdu.some((byte, at) => byte !== request[at]))
    throw new ConnectionError("answer", "the answer confirms something else than was written");
}

function checkCode(code: number, pdu: Uint8Array): void {
  const answered = pdu.at(0) ?? 0;
  if (answered === code) return;
  if (answered !== (code | EXCEPTION_BIT) || pdu.length !== 2)
    throw new ConnectionError("answer", `the answer is for function ${answered}, not ${code}`);
  const exception = itemAt(pdu, 1);
  const words = `exception ${exception}: ${EXCEPTIONS[exception] ?? "unknown"}`;
  throw new ConnectionError("exception", words, exception);
}

function bytesOf(value: number): readonly [number, number] {
  return [(value >> 8) & 0xff, value & 0xff];
}

export function packBits(values: readonly number[]): readonly number[] {
  const bytes = new Array<number>(Math.ceil(values.length / 8)).fill(0);
  for (const [at, value] of values.entries()) {
    if (value !== 0) bytes[at >> 3] = itemAt(bytes, at >> 3) | (1 << (at & 7));
  }
  return bytes;
}
