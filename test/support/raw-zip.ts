import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a zip in which every field may lie. What is not given is written truthfully. */
export type RawEntry = {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  readonly localName?: string;
  readonly packed?: Uint8Array;
  readonly method?: number;
  readonly localMethod?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  readonly localSize?: number;
  readonly packedSize?: number;
  readonly mode?: number;
  readonly dosAttributes?: number;
  readonly extra?: Uint8Array;
  readonly localExtra?: Uint8Array;
  readonly descriptor?: "signed" | "plain" | "lying";
  /** Points at another entry's local header, by its index. */
  readonly sharesDataOf?: number;
};

export type RawArchive = {
  readonly entries: readonly RawEntry[];
  readonly prefix?: Uint8Array;
  readonly gap?: Uint8Array;
  readonly comment?: Uint8Array;
  readonly count?: number;
  readonly disk?: number;
  readonly directoryOffset?: number;
  readonly beforeEnd?: Uint8Array;
};

export function rawZip(archive: RawArchive | readonly RawEntry[]): Uint8Array {
  const {
    entries,
    prefix,
    gap,
    comment = new Uint8Array(),
    ...lies
  }: RawArchive = "length" in archive ? { entries: archive } : archive;
  const parts: Buffer[] = [Buffer.from(prefix ?? [])];
  const offsets: number[] = [];
  const directory: Buffer[] = [];
  let at = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? "");
    const method = entry.method ?? 8;
    const packed = Buffer.from(entry.packed ?? (method === 8 ? deflateRawSync(content) : content));
    const crc = entry.crc ?? crc32(content);
    const size = entry.size ?? content.length;
    const packedSize = entry.packedSize ?? packed.length;
    const flags = (entry.flags ?? 0) | (entry.descriptor === undefined ? 0 : 8);
    const name = Buffer.from(entry.name as string);
    const isDeferred = entry.descriptor !== undefined;
    const localName = entry.localName === undefined ? name : Buffer.from(entry.localName);
    const localExtra = Buffer.from(entry.localExtra ?? []);
    const extra = Buffer.from(entry.extra ?? []);
    const local = Buffer.concat([
      u32(0x04034b50),
      ...[20, flags, entry.localMethod ?? method, 0, 0x21].map(u16),
      ...(isDeferred ? [0, 0, 0] : [crc, packedSize, entry.localSize ?? size]).map(u32),
      u16(localName.length),
      u16(localExtra.length),
      localName,
      localExtra,
      packed,
      ...(entry.descriptor === "signed" ? [u32(0x08074b50)] : []),
      ...(isDeferred ? [crc, packedSize, entry.descriptor === "lying" ? size + 1 : size].map(u32) : []),
    ]);
    const shared = entry.sharesDataOf === undefined ? undefined : offsets[entry.sharesDataOf];
    offsets.push(shared ?? at);
    directory.push(
      Buffer.concat([
        u32(0x02014b50),
        ...[(3 << 8) | 20, 20, flags, method, 0, 0x21].map(u16),
        ...[crc, packedSize, size].map(u32),
        ...[name.length, extra.length, 0, 0, 0].map(u16),
        u32((entry.mode ?? 0) * 0x10000 + (entry.dosAttributes ?? 0)),
        u32(shared ?? at),
        name,
        extra,
      ]),
    );
    if (shared !== undefined) continue;
    parts.push(local);
    at += local.length;
    if (gap !== undefined) {
      parts.push(Buffer.from(gap));
      at += gap.length;
    }
  }
  const listing = Buffer.concat([...directory, Buffer.from(lies.beforeEnd ?? [])]);
  const count = lies.count ?? entries.length;
  const end = [
    u32(0x06054b50),
    ...[lies.disk ?? 0, lies.disk ?? 0, count, count].map(u16),
    u32(listing.length),
    u32(lies.directoryOffset ?? at),
    u16(comment.length),
    Buffer.from(comment),
  ];
  return Buffer.concat([...parts, listing, ...end]);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
