// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** The checksum of Modbus RTU; sent with its low byte first. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}
