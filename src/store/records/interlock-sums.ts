import { checksumOf } from "./row-checksum.ts";

/** The checksums of what an interlock says and of the devices that it names, both as JSON. */
export function interlockSums(row: {
  readonly siteId: string;
  readonly name: string;
  readonly document: string;
  readonly devices: string;
}): readonly [document: number, devices: number] {
  const { siteId, name, document, devices } = row;
  return [checksumOf(siteId, name, document), checksumOf(siteId, name, devices)];
}
