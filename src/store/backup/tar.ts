// The tar format (POSIX ustar), as far as backups use it: regular files, written and read as they come.

interface TarEntry {
  /** With slashes, relative, at most 100 bytes. */
  readonly name: string;
  readonly size: number;
  /** Permissions, such as 0o600. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly modifiedAt: number;
}

export interface TarFile extends TarEntry {
  readonly content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
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
    const rest = file.size % BLOCK;
    if (rest > 0) yield new Uint8Array(BLOCK - rest);
  }
  yield new Uint8Array(2 * BLOCK);
}

function renderHeader({ name, size, mode, modifiedAt }: TarEntry): Uint8Array {
  const header = Buffer.alloc(BLOCK);
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
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148);
  return header;
}

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** What is not a tar file, ends too early, or could not be read. */
export class BrokenTar extends Error {}

/** Calls `take` with each file in turn; its content has to be read to the end before it returns. */
export async function readTar(bytes: AsyncIterable<Uint8Array>, take: (file: TarFile) => Promise<void>): Promise<void> {
  const source = createSource(bytes);
  for (;;) {
    const header = await source.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) break;
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
    const rest = entry.size % BLOCK;
    if (rest > 0) await source.exactly(BLOCK - rest);
  }
  // The rest is read too: it holds the checksum of what packed or encrypted this.
  await source.drain();
}

function parseHeader(bytes: Uint8Array): TarEntry {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (at: number, length: number) => header.toString("utf8", at, at + length).replace(/\0.*$/s, "");
  if (Number.parseInt(text(148, 8), 8) !== checksumOf(header)) throw new BrokenTar("the header of a file is damaged");
  if (text(156, 1) !== "0") throw new BrokenTar(`${text(0, NAME_BYTES)} is not a regular file`);
  const size = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new BrokenTar("the size of a file is damaged");
  return {
    name: text(0, NAME_BYTES),
    size,
    mode: Number.parseInt(text(100, 8), 8),
    modifiedAt: Number.parseInt(text(136, 12), 8),
  };
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
