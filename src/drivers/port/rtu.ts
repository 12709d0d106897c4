// Frames of Modbus RTU: address, protocol data unit, checksum. Their length follows from the function.
import { itemAt } from "#core/item-at.ts";
import { crc16 } from "#drivers/modbus/crc16.ts";
import { EXCEPTION_BIT } from "#drivers/modbus/pdu.ts";

/** Silence between frames, in characters, and the least of it in milliseconds at high speeds. */
const GAP_CHARACTERS = 3.5;
const LEAST_GAP_MS = 1.75;
const LAST_READ_CODE = 4;
const WRITE_FRAME_BYTES = 8;
const EXCEPTION_FRAME_BYTES = 5;

export function frameGapMs(characterMs: number): number {
  return Math.max(LEAST_GAP_MS, GAP_CHARACTERS * characterMs);
}

export function rtuFrame(unit: number, pdu: Uint8Array): Uint8Array {
  const body = Uint8Array.of(unit, ...pdu);
  const crc = crc16(body);
  return Uint8Array.of(...body, crc & 0xff, crc >> 8);
}

/**
 * Finds the answer in the received bytes, whatever precedes it: noise, or the echo of the request that some adapters
 * produce. Undefined when it is not there yet.
 */
export function findAnswer(received: Uint8Array, unit: number, code: number): Uint8Array | undefined {
  for (let start = 0; start + EXCEPTION_FRAME_BYTES <= received.length; start++) {
    const answered = itemAt(received, start + 1);
    if (received[start] !== unit || (answered & ~EXCEPTION_BIT) !== code) continue;
    const end = start + frameBytes(answered, itemAt(received, start + 2));
    if (end > received.length) continue;
    const crc = crc16(received.subarray(start, end - 2));
    if (received[end - 2] === (crc & 0xff) && received[end - 1] === crc >> 8) return received.slice(start + 1, end - 2);
  }
  return undefined;
}

function frameBytes(code: number, count: number): number {
  if ((code & EXCEPTION_BIT) !== 0) return EXCEPTION_FRAME_BYTES;
  return code <= LAST_READ_CODE ? EXCEPTION_FRAME_BYTES + count : WRITE_FRAME_BYTES;
}
