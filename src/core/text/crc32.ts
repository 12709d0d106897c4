// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 (IEEE 802.3) of ASCII text. */
export function crc32(text: string): number {
  let sum = 0xffffffff;
  for (let i = 0; i < text.length; i++) sum = (sum >>> 8) ^ (TABLE[(sum ^ text.charCodeAt(i)) & 255] ?? 0);
  return (sum ^ 0xffffffff) >>> 0;
}
