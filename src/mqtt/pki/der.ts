// Writes the few ASN.1 types that a certificate consists of, in DER: each value has exactly one encoding.
import { itemAt } from "#core/item-at.ts";

export type Der = Buffer;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

export const sequence = (...parts: readonly Der[]): Der => tagged(TAG.sequence, Buffer.concat(parts));
export const set = (part: Der): Der => tagged(TAG.set, part);
export const octetString = (content: Buffer): Der => tagged(TAG.octetString, content);
export const utf8String = (text: string): Der => tagged(TAG.utf8String, Buffer.from(text, "utf8"));
export const boolean = (value: boolean): Der => tagged(TAG.boolean, Buffer.from([value ? 0xff : 0]));

/** `[n]` around a value, as in `version [0] EXPLICIT`. */
export const explicit = (number: number, content: Der): Der => tagged(0xa0 | number, content);
/** `[n]` instead of a primitive value's own tag. */
export const implicit = (number: number, content: Buffer): Der => tagged(0x80 | number, content);

/** A positive integer given as big-endian bytes. */
export function integer(bytes: Uint8Array): Der {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(start));
  // A set highest bit would mean a negative number.
  return tagged(TAG.integer, itemAt(digits, 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** Whole bytes, or flags of which the last `unused` bits do not count. */
export function bitString(content: Buffer, unused = 0): Der {
  return tagged(TAG.bitString, Buffer.concat([Buffer.from([unused]), content]));
}

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Two-digit years until 2049, four digits from 2050, as RFC 5280 requires. Fractions of a second are dropped. */
export function time(at: Date): Der {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return at.getUTCFullYear() < 2050
    ? tagged(TAG.utcTime, Buffer.from(digits.slice(2)))
    : tagged(TAG.generalizedTime, Buffer.from(digits));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}

function tagged(tag: number, content: Buffer): Der {
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}
