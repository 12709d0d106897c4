// The text of an access token: `bb_`, then the id (22 digits), the secret (43) and a checksum (6), all in base 62.
// The checksum lets scanners and this program distinguish a mistyped token from an unknown one without asking the store.
// The text of a session has the same form and another beginning, so neither is ever taken for the other.
import { crc32 } from "#core/text/crc32.ts";

const TOKEN_PREFIX = "bb_";
export const SESSION_PREFIX = "bs_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 22;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Number of random bytes behind a token. */
export const SECRET_BYTES = 32;

export function formatToken(id: string, secret: Uint8Array, prefix = TOKEN_PREFIX): string {
  if (secret.length !== SECRET_BYTES) throw new RangeError(`a token secret has ${SECRET_BYTES} bytes`);
  const body = encode(bytesOfUuid(id), ID_LENGTH) + encode(secret, SECRET_LENGTH);
  return prefix + body + checksum(body);
}

/** The id inside a token's text, or undefined when the text is no intact token. Says nothing about its validity. */
export function tokenIdOf(text: string, prefix = TOKEN_PREFIX): string | undefined {
  if (!text.startsWith(prefix) || !SHAPE.test(text.slice(prefix.length))) return undefined;
  const body = text.slice(prefix.length, -CHECKSUM_LENGTH);
  if (checksum(body) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return uuidOf(body.slice(0, ID_LENGTH));
}

function checksum(body: string): string {
  const sum = crc32(body);
  return encode([sum >>> 24, (sum >>> 16) & 255, (sum >>> 8) & 255, sum & 255], CHECKSUM_LENGTH);
}

function encode(bytes: Iterable<number>, length: number): string {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  let text = "";
  for (let i = 0; i < length; i++) {
    text = DIGITS.charAt(Number(number % 62n)) + text;
    number /= 62n;
  }
  return text;
}

function uuidOf(digits: string): string | undefined {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(DIGITS.indexOf(digit));
  const hex = number.toString(16).padStart(32, "0");
  if (hex.length > 32) return undefined;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function bytesOfUuid(id: string): readonly number[] {
  const hex = id.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new RangeError("a token id is a UUID");
  return Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16));
}
