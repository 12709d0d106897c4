import { type PackageIssue, packageIssue } from "#core/blueprint/package-issue.ts";
import { findPathFault } from "#core/blueprint/package-path.ts";
import { EXTRA, FLAG, hasExtra, isSame, KNOWN_FLAGS, readExtras, type ZipEntry } from "./zip-layout.ts";

const STORED = 0;
const DEFLATED = 8;
const UNIX = { typeMask: 0xf000, regular: 0x8000, directory: 0x4000, symlink: 0xa000 } as const;
const DOS = { volume: 0x08, directory: 0x10, reparsePoint: 0x400 } as const;

export function isDirectory(entry: ZipEntry): boolean {
  return entry.path.endsWith("/");
}

/** Checks an entry by the directory alone: its name, its kind, how it is packed. Sizes are checked elsewhere. */
export function findEntryIssue(entry: ZipEntry): PackageIssue | undefined {
  const { path } = entry;
  const fault = entry.isPathBroken ? "it is not UTF-8" : findPathFault(isDirectory(entry) ? path.slice(0, -1) : path);
  if (fault !== undefined)
    return packageIssue("package_path", path, `The path ${JSON.stringify(path)} is not allowed: ${fault}.`);
  const special = findSpecialKind(entry);
  if (special !== undefined) {
    const message = `${path} is ${special}. A package holds only regular files and folders.`;
    return packageIssue("package_special_file", path, message);
  }
  const unsupported = findUnsupported(entry);
  if (unsupported !== undefined) {
    return packageIssue("package_unsupported", path, `${path} cannot be read: ${unsupported}.`);
  }
  const lie = findLie(entry);
  return lie === undefined ? undefined : packageIssue("package_damaged", path, `${path} is damaged: ${lie}.`);
}

/** The upper half of the attributes is a Unix mode, whatever system claims to have written it: extractors honour it. */
function findSpecialKind(entry: ZipEntry): string | undefined {
  const type = (entry.externalAttributes >>> 16) & UNIX.typeMask;
  if (type === UNIX.symlink || (entry.externalAttributes & DOS.reparsePoint) !== 0) return "a symbolic link";
  if ((entry.externalAttributes & DOS.volume) !== 0) return "a volume label";
  if (type !== 0 && type !== UNIX.regular && type !== UNIX.directory) return "a device, pipe or socket";
  const saysDirectory = type === UNIX.directory || (type === 0 && (entry.externalAttributes & DOS.directory) !== 0);
  const saysFile = type === UNIX.regular;
  if (saysDirectory && !isDirectory(entry)) return "a folder by its attributes and a file by its name";
  if (saysFile && isDirectory(entry)) return "a file by its attributes and a folder by its name";
  return undefined;
}

function findUnsupported(entry: ZipEntry): string | undefined {
  const { flags, method, extra } = entry;
  const isEncrypted = (flags & (FLAG.encrypted | FLAG.strongEncryption | FLAG.maskedHeaders)) !== 0;
  if (isEncrypted || method === 99 || hasExtra(extra, EXTRA.encryption) || hasExtra(extra, EXTRA.aes)) {
    return "it is encrypted";
  }
  if (method !== STORED && method !== DEFLATED) return `it is packed by method ${method}; use deflate or store`;
  if ((flags & ~KNOWN_FLAGS) !== 0) return "it uses a zip feature that is not supported";
  if (hasExtra(extra, EXTRA.zip64)) return "it uses zip64, which no package of this size needs";
  return undefined;
}

function findLie(entry: ZipEntry): string | undefined {
  if (entry.method === STORED && entry.packedSize !== entry.size) return "it is stored, yet its two sizes differ";
  if (isDirectory(entry) && entry.size !== 0) return "a folder cannot have content";
  // Version and checksum (5 bytes) come before the name.
  const other = readExtras(entry.extra).get(EXTRA.unicodePath)?.subarray(5);
  if (other !== undefined && !isSame(other, entry.rawPath)) return "it has a second name that differs";
  return undefined;
}
