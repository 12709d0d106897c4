// Reads and writes the zips of blueprints. The service reads them strictly; here only packages are read that it gave.

export type Files = ReadonlyMap<string, Uint8Array>;

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;
const UTF8_NAMES = 0x0800;
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const REGULAR_FILE = 0o100644 * 0x10000;
/** 1980-01-01, the first day that a zip can name: the same files always give the same bytes. */
const FIRST_DAY = 0x0021;

const [LOCAL_SIZE, ENTRY_SIZE, END_SIZE] = [30, 46, 22];

/** The files of a zip by path. Throws when it is none. */
export async function readZip(zip: Uint8Array): Promise<Files> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let end = zip.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new Error("this is no zip");
  const files = new Map<string, Uint8Array>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (view.getUint32(at, true) !== ENTRY) throw new Error("the zip is damaged");
    const [nameSize, extraSize, noteSize] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const path = new TextDecoder().decode(zip.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + (nameSize ?? 0)));
    const local = view.getUint32(at + 42, true);
    const start = local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = zip.slice(start, start + view.getUint32(at + 20, true));
    const isDeflated = view.getUint16(at + 10, true) === DEFLATED;
    if (!path.endsWith("/")) files.set(path, isDeflated ? await inflate(packed) : packed);
    at += ENTRY_SIZE + (nameSize ?? 0) + (extraSize ?? 0) + (noteSize ?? 0);
  }
  return files;
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Sorted by path and not compressed: packages are small, and equal content gives equal bytes. */
export function writeZip(files: Files): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const path of [...files.keys()].sort((one, other) => (one < other ? -1 : 1))) {
    const content = new Uint8Array(files.get(path) ?? []);
    const name = new TextEncoder().encode(path);
    const shared = [
      [2, VERSION],
      [2, UTF8_NAMES],
      [2, 0],
      [2, 0],
      [2, FIRST_DAY],
      [4, crc32(content)],
      [4, content.length],
      [4, content.length],
      [2, name.length],
      [2, 0],
    ] as const;
    const local = record([[4, LOCAL], ...shared]);
    directory.push(
      record([[4, ENTRY], [2, MADE_ON_UNIX], ...shared, [2, 0], [2, 0], [2, 0], [4, REGULAR_FILE], [4, offset]]),
      name,
    );
    parts.push(local, name, content);
    offset += local.length + name.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record([
    [4, END],
    [4, 0],
    [2, files.size],
    [2, files.size],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
  return concat([...parts, ...directory, end]);
}

/** Numbers in little-endian order, each with its size in bytes. */
function record(fields: readonly (readonly [size: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
