// A row of a shared journal that says which hours were sealed: what rows of a moment hold of these hours is in segments.
//
//   mark := moment text16, hours u32, (device u32, hour i32)*
import { type Moment, parseMoment } from "./moment.ts";

export interface DeviceHour {
  readonly device: number;
  /** Hours since 1970. */
  readonly hour: number;
}

export interface SealMark {
  readonly moment: Moment;
  readonly hours: readonly DeviceHour[];
}

export function packSealMark({ moment, hours }: { readonly moment: Moment; readonly hours: readonly DeviceHour[] }) {
  const text = Buffer.from(moment.text);
  const bytes = Buffer.alloc(6 + text.length + hours.length * 8);
  bytes.writeUInt16LE(text.length, 0);
  text.copy(bytes, 2);
  let at = bytes.writeUInt32LE(hours.length, 2 + text.length);
  for (const { device, hour } of hours) at = bytes.writeInt32LE(hour, bytes.writeUInt32LE(device, at));
  return bytes;
}

/** Throws for bytes that hold none. */
export function parseSealMark(bytes: Uint8Array): SealMark {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = 2 + view.readUInt16LE(0);
  const count = view.readUInt32LE(end);
  const hours = Array.from({ length: count }, (_, i): DeviceHour => {
    const at = end + 4 + i * 8;
    return { device: view.readUInt32LE(at), hour: view.readInt32LE(at + 4) };
  });
  return { moment: parseMoment(view.toString("utf8", 2, end)), hours };
}
