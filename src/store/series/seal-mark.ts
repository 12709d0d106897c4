// A row of a shared journal that says which hours were sealed: what rows up to a number hold of these hours is in segments.
//
//   mark := last f64, hours u32, (device u32, hour i32)*

export interface DeviceHour {
  readonly device: number;
  /** Hours since 1970. */
  readonly hour: number;
}

export interface SealMark {
  /** The number of the newest row that was known. */
  readonly last: number;
  readonly hours: readonly DeviceHour[];
}

const HEAD = 12;

export function packSealMark({ last, hours }: SealMark): Uint8Array {
  const bytes = Buffer.alloc(HEAD + hours.length * 8);
  let at = bytes.writeUInt32LE(hours.length, bytes.writeDoubleLE(last, 0));
  for (const { device, hour } of hours) at = bytes.writeInt32LE(hour, bytes.writeUInt32LE(device, at));
  return bytes;
}

/** Throws for bytes that hold none. */
export function parseSealMark(bytes: Uint8Array): SealMark {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.readUInt32LE(8);
  const hours = Array.from({ length: count }, (_, i): DeviceHour => {
    const at = HEAD + i * 8;
    return { device: view.readUInt32LE(at), hour: view.readInt32LE(at + 4) };
  });
  return { last: view.readDoubleLE(0), hours };
}
