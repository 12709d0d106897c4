/**
 * Finds the structures of a zip: the end record, the central directory and the local headers, strictly by the format.
 * Nothing is unpacked here. A returned string says why something cannot be read. Offsets and sizes are bytes, integers
 * are little-endian.
 */

export type ZipEntry = {
  readonly path: string;
  readonly rawPath: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly externalAttributes: number;
  readonly localOffset: number;
  readonly extra: Uint8Array;
  /** Set when the name is not UTF-8; `path` then holds a readable stand-in. */
  readonly isPathBroken: boolean;
};

export const FLAG = { encrypted: 1, descriptor: 8, strongEncryption: 64, utf8: 2048, maskedHeaders: 8192 } as const;
/**
 * Deflate effort (bits 1 and 2), data descriptor, UTF-8 names. Every other bit needs a feature that is not supported.
 */
export const KNOWN_FLAGS = 2 | 4 | FLAG.descriptor | FLAG.utf8;

const END_SIGNATURE = 0x06054b50;
const END_LENGTH = 22;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_LOCATOR_LENGTH = 20;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_LENGTH = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const MAX_COMMENT = 0xffff;

export function looksLikeZip(bytes: Uint8Array): boolean {
  // "PK" begins no valid YAML or JSON manifest: both need a { or a key and a colon, and a key PK would be unknown
  // anyway.
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes.at(2) ?? 0) < 0x09 && (bytes.at(3) ?? 0) < 0x09;
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export type ZipDirectory = { readonly start: number; readonly end: number; readonly count: number };

/**
 * Finds the central directory. A zip with two possible end records is refused: two readers could see different
 * contents.
 */
export function findDirectory(bytes: Uint8Array): ZipDirectory | string {
  const view = viewOf(bytes);
  const candidates: number[] = [];
  const lowest = Math.max(0, bytes.length - END_LENGTH - MAX_COMMENT);
  for (let at = bytes.length - END_LENGTH; at >= lowest; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_LENGTH + view.getUint16(at + 20, true) === bytes.length) candidates.push(at);
  }
  const [at, second] = candidates;
  if (at === undefined) return "its end record is missing, so it is cut short or not a zip";
  if (second !== undefined) return "it has two end records, so two readers could see two contents";
  const locator = at - ZIP64_LOCATOR_LENGTH;
  if (locator >= 0 && view.getUint32(locator, true) === ZIP64_LOCATOR_SIGNATURE) {
    return "it is a zip64, which no package of this size needs";
  }
  const count = view.getUint16(at + 10, true);
  const size = view.getUint32(at + 12, true);
  const start = view.getUint32(at + 16, true);
  if (count === 0xffff || size === 0xffffffff || start === 0xffffffff) {
    return "it is a zip64, which no package of this size needs";
  }
  if (view.getUint32(at + 4, true) !== 0 || view.getUint16(at + 8, true) !== count) {
    return "it is one part of a zip that spans several files";
  }
  if (start + size !== at) return "its directory does not lie where the end record says";
  return { start, end: at, count };
}

export function readDirectory(bytes: Uint8Array, directory: ZipDirectory): readonly ZipEntry[] | string {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = directory.start;
  while (at < directory.end) {
    if (at + CENTRAL_LENGTH > directory.end || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
      return "its directory is damaged";
    }
    const pathEnd = at + CENTRAL_LENGTH + view.getUint16(at + 28, true);
    const extraEnd = pathEnd + view.getUint16(at + 30, true);
    const end = extraEnd + view.getUint16(at + 32, true);
    if (end > directory.end) return "its directory is damaged";
    if (view.getUint16(at + 34, true) !== 0) {
      return "it is one part of a zip that spans several files";
    }
    const rawPath = bytes.subarray(at + CENTRAL_LENGTH, pathEnd);
    const { path, isPathBroken } = decodePath(rawPath);
    entries.push({
      path,
      rawPath,
      isPathBroken,
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      externalAttributes: view.getUint32(at + 38, true),
      localOffset: view.getUint32(at + 42, true),
      extra: bytes.subarray(pathEnd, extraEnd),
    });
    at = end;
  }
  if (entries.length !== directory.count) return "its directory does not hold as many files as it says";
  return entries;
}

function decodePath(raw: Uint8Array): { readonly path: string; readonly isPathBroken: boolean } {
  try {
    return { path: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw), isPathBroken: false };
  } catch {
    return { path: new TextDecoder("utf-8").decode(raw), isPathBroken: true };
  }
}

/** The bytes of one entry: `[start, end)` from its local header to its descriptor, and the packed data inside. */
export type ZipBody = { readonly start: number; readonly end: number; readonly packed: Uint8Array };

/** Finds an entry's data, unless its local header contradicts the directory. */
export function findBody(bytes: Uint8Array, entry: ZipEntry, limit: number): ZipBody | string {
  const view = viewOf(bytes);
  const start = entry.localOffset;
  if (start + LOCAL_LENGTH > limit || view.getUint32(start, true) !== LOCAL_SIGNATURE) {
    return "its header is not where the directory says";
  }
  const pathEnd = start + LOCAL_LENGTH + view.getUint16(start + 26, true);
  const dataStart = pathEnd + view.getUint16(start + 28, true);
  const dataEnd = dataStart + entry.packedSize;
  if (dataEnd > limit) return "its data reaches beyond the end of the files";
  const path = bytes.subarray(start + LOCAL_LENGTH, pathEnd);
  if (!isSame(path, entry.rawPath)) return "its header names another file than the directory";
  if (view.getUint16(start + 6, true) !== entry.flags || view.getUint16(start + 8, true) !== entry.method) {
    return "its header and the directory disagree on how it is packed";
  }
  if (hasExtra(bytes.subarray(pathEnd, dataStart), EXTRA.zip64))
    return "it uses zip64, which no package of this size needs";
  const triple = [entry.crc, entry.packedSize, entry.size];
  const isDeferred = (entry.flags & FLAG.descriptor) !== 0;
  const local = [14, 18, 22].map((offset) => view.getUint32(start + offset, true));
  const isMatch = local.every((value, index) => value === triple[index] || (isDeferred && value === 0));
  if (!isMatch) return "its header and the directory disagree on its size or checksum";
  const end = isDeferred ? descriptorEnd({ view, at: dataEnd, limit, triple }) : dataEnd;
  if (end === undefined) return "the sizes after its data disagree with the directory";
  return { start, end, packed: bytes.subarray(dataStart, dataEnd) };
}

type Descriptor = {
  readonly view: DataView;
  readonly at: number;
  readonly limit: number;
  readonly triple: readonly number[];
};

/** A descriptor repeats checksum and sizes after the data, with or without a signature of its own. */
function descriptorEnd({ view, at, limit, triple }: Descriptor): number | undefined {
  for (const from of [at + 4, at]) {
    if (from + 12 > limit || (from > at && view.getUint32(at, true) !== DESCRIPTOR_SIGNATURE)) continue;
    if (triple.every((value, index) => view.getUint32(from + 4 * index, true) === value)) return from + 12;
  }
  return undefined;
}

export const EXTRA = { zip64: 0x0001, encryption: 0x0017, aes: 0x9901, unicodePath: 0x7075 } as const;

export function hasExtra(extra: Uint8Array, id: number): boolean {
  return readExtras(extra).has(id);
}

/** Extra fields by id. Bytes that are no list of fields (some tools pad with zeros) are ignored. */
export function readExtras(extra: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const view = viewOf(extra);
  const fields = new Map<number, Uint8Array>();
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) break;
    fields.set(view.getUint16(at, true), extra.subarray(at + 4, end));
    at = end;
  }
  return fields;
}
