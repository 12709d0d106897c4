// The tar format (POSIX ustar), as far as backups use it: regular files, written and read as they come.
import {
  isTarEnd,
  parseTarHeader,
  TAR_BLOCK,
  type TarHeader,
  tarChecksum,
  tarPadding,
} from "#core/bytes/tar-header.ts";

/** The name has slashes, is relative and has at most 100 bytes. */
type TarEntry = Omit<TarHeader, "type">;

export interface TarFile extends TarEntry {
  readonly content: AsyncIterable<Uint8Array>;
}

const NAME_BYTES = 100;
/** Sizes from here on do not fit eleven octal digits and are written as a binary number, as GNU tar does. */
const OCTAL_END = 8 ** 11;

export async function* writeTar(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    yield renderHeader(file);
    let written = 0;
    for await (const piece of file.content) {
      written += piece.length;
      yield piece;
    }
    if (written !== file.size) throw new Error(`${file.name} changed while it was read`);
    yield new Uint8Array(tarPadding(file.size));
  }
  yield new Uint8Array(2 * TAR_BLOCK);
}

function renderHeader({ name, size, mode, modifiedAt }: TarEntry): Uint8Array {
  const header = Buffer.alloc(TAR_BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`the name ${name} is too long for a backup`);
  header.write(name, 0);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  if (size < OCTAL_END) header.write(octal(size, 11), 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(octal(Math.max(0, Math.floor(modifiedAt)), 11), 136);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(`${octal(tarChecksum(header), 6)}\0 `, 148);
  return header;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/** What is not a tar file, ends too early, or could not be read. */
export class BrokenTar extends Error {}

/** Calls `take` with each file in turn; its content has to be read to the end before it returns. */
export async function readTar(bytes: AsyncIterable<Uint8Array>, take: (file: TarFile) => Promise<void>): Promise<void> {
  const source = createSource(bytes);
  for (;;) {
    const header = await source.exactly(TAR_BLOCK);
    if (isTarEnd(header)) break;
    const entry = parseHeader(header);
    let left = entry.size;
    const content = async function* () {
      while (left > 0) {
        const piece = await source.atMost(left);
        left -= piece.length;
        yield piece;
      }
    };
    await take({ ...entry, content: content() });
    if (left > 0) throw new Error(`the content of ${entry.name} was not read`);
    await source.exactly(tarPadding(entry.size));
  }
  // The rest is read too: it holds the checksum of what packed or encrypted this.
  await source.drain();
}

function parseHeader(block: Uint8Array): TarEntry {
  const header = parseTarHeader(block);
  if (header === undefined) throw new BrokenTar("the header of a file is damaged");
  if (header.type !== "0") throw new BrokenTar(`${header.name} is not a regular file`);
  return header;
}

function createSource(bytes: AsyncIterable<Uint8Array>) {
  const iterator = bytes[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();
  const next = async () => {
    try {
      return await iterator.next();
    } catch (error) {
      throw new BrokenTar(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
  const more = async () => {
    const { done, value } = await next();
    if (done === true) throw new BrokenTar("it ends too early");
    rest = value;
  };
  /** At least one byte, unless `count` is zero. */
  const atMost = async (count: number): Promise<Uint8Array> => {
    while (rest.length === 0) await more();
    const piece = rest.subarray(0, count);
    rest = rest.subarray(piece.length);
    return piece;
  };
  return {
    atMost,
    async exactly(count: number): Promise<Uint8Array> {
      const whole = new Uint8Array(count);
      for (let at = 0; at < count; ) {
        const piece = await atMost(count - at);
        whole.set(piece, at);
        at += piece.length;
      }
      return whole;
    },
    async drain(): Promise<void> {
      while ((await next()).done !== true);
    },
  };
}
