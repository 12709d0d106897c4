import { crc32, deflateRawSync } from "node:zlib";

const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const STORED = 0;
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const REGULAR_FILE = 0o100644 * 0x10000;
/** 1980-01-01, the first day that a zip can name: the same files always give the same bytes. */
const FIRST_DAY = 0x0021;

/** Writes files into a zip: sorted by path, without times, so that equal content is equal byte for byte. */
export function packPackage(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  // Compared by code unit, because the order must not depend on a locale.
  for (const path of [...files.keys()].sort((one, other) => (one < other ? -1 : 1))) {
    const content = files.get(path) ?? new Uint8Array();
    const name = Buffer.from(path, "utf8");
    const deflated = deflateRawSync(content, { level: 9 });
    const isSmaller = deflated.length < content.length;
    const packed = isSmaller ? deflated : Buffer.from(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8_NAMES, 2);
    common.writeUInt16LE(isSmaller ? DEFLATED : STORED, 4);
    common.writeUInt16LE(FIRST_DAY, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature("\x03\x04"), common, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(REGULAR_FILE, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature("\x01\x02"), word(MADE_ON_UNIX), common, rest, name]));
    bodies.push(local);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listing, signature("\x05\x06"), end]);
}

function signature(kind: string): Buffer {
  return Buffer.from(`PK${kind}`, "latin1");
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
