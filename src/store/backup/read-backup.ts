// Reads a backup and checks it on the way: every file has to be there and to match its checksum.
import { createHash } from "node:crypto";
import { createReadStream, promises } from "node:fs";

import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { decrypt, type Encryption, encryptionOf, HEAD_BYTES, type Keys } from "./age.ts";
import { type BackupManifest, MANIFEST_FILE, parseManifest, SUMS_FILE } from "./backup-manifest.ts";
import { BrokenTar, readTar, type TarFile } from "./tar.ts";

export interface ReadBackup {
  readonly manifest: BackupManifest;
  readonly encryption: Encryption;
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

/** Gets each file except the manifest and the sums, and may keep it. What it keeps is checked when `readBackup` returns. */
export type KeepFile = (file: TarFile, manifest: BackupManifest) => Promise<void>;

/** Far more than either is. */
const MOST_TEXT = 16 * 1024 * 1024;

/** Throws an error that names the place of the damage. */
export async function readBackup(path: string, keys: Keys, keep?: KeepFile): Promise<ReadBackup> {
  let place = "its beginning";
  let readBytes = 0;
  let manifest: BackupManifest | undefined;
  let wanted: ReadonlyMap<string, string> | undefined;
  const found = new Map<string, string>();
  const files: { name: string; size: number }[] = [];
  const head = await readHead(path);
  const encryption = encryptionOf(head);
  if (encryption === "none" && head.readUInt16BE() !== GZIP_MAGIC) {
    throw new Error(`${basename(path)} is not a backup of Busbar: it is neither packed by gzip nor encrypted by age`);
  }
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  raw.on("data", (piece) => {
    readBytes += piece.length;
  });
  raw.pause();
  const packed = encryption === "none" ? raw : await decrypt(raw, keys);

  const take = async (file: TarFile) => {
    place = file.name;
    const hash = createHash("sha256");
    const hashed = { ...file, content: hashing(file.content, hash) };
    if (file.name === MANIFEST_FILE) manifest = parseManifest(await textOf(hashed));
    else if (manifest === undefined) throw new Error(`the first file is ${file.name}, not ${MANIFEST_FILE}`);
    else if (file.name === SUMS_FILE) wanted = parseSums(await textOf(hashed));
    else {
      requireSafe(file.name);
      files.push({ name: file.name, size: file.size });
      if (keep !== undefined) await keep(hashed, manifest);
      else for await (const _ of hashed.content);
    }
    if (file.name !== SUMS_FILE) found.set(file.name, hash.digest("hex"));
    place = `after ${file.name}`;
  };
  try {
    await readTar(unpack(packed), take);
  } catch (error) {
    raw.destroy();
    if (!(error instanceof BrokenTar)) throw error;
    throw new Error(`${basename(path)} is damaged: ${place}, before byte ${readBytes} of the file (${error.message})`);
  }
  if (manifest === undefined) throw new Error(`${basename(path)} holds no ${MANIFEST_FILE}`);
  if (wanted === undefined) throw new Error(`${basename(path)} is not complete: ${SUMS_FILE} is missing at its end`);
  const wrong = [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (name) => wanted?.get(name) !== found.get(name),
  );
  if (wrong.length > 0) {
    throw new Error(`${basename(path)} is damaged: ${wrong.join(", ")} does not match its checksum in ${SUMS_FILE}`);
  }
  return { manifest, encryption, files };
}

/** A failure of either stream is reported by reading the last one. */
function unpack(packed: Readable): Readable {
  const gunzip = createGunzip();
  return pipeline(packed, gunzip, () => {});
}

async function* hashing(content: AsyncIterable<Uint8Array>, hash: ReturnType<typeof createHash>) {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

async function textOf({ name, size, content }: TarFile): Promise<string> {
  if (size > MOST_TEXT) throw new Error(`${name} is too large`);
  return Buffer.concat(await Array.fromAsync(content)).toString();
}

function parseSums(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

/** A name must not lead out of the folder that a backup is restored to. */
function requireSafe(name: string): void {
  const parts = name.split("/");
  if (
    name.startsWith("/") ||
    name.includes("\\") ||
    parts.some((part) => part === "" || part === "." || part === "..")
  ) {
    throw new Error(`the backup holds a file with the name ${JSON.stringify(name)}, which no Busbar writes`);
  }
}

const GZIP_MAGIC = 0x1f8b;

async function readHead(path: string): Promise<Buffer> {
  const handle = await promises.open(path);
  try {
    return (await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)).buffer;
  } finally {
    await handle.close();
  }
}
