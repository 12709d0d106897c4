// Base32 of RFC 4648, in which apps take secrets and people type codes: no letter looks like a digit.
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Without padding. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += DIGITS.charAt((held >>> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + DIGITS.charAt((held << (5 - bits)) & 31);
}
