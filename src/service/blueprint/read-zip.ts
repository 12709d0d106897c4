import { crc32, inflateRawSync } from "node:zlib";
import { type PackageIssue, packageIssue } from "#core/blueprint/package-issue.ts";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { collisionKey, isFileManagerLitter } from "#core/blueprint/package-path.ts";
import { findEntryIssue, isDirectory } from "./find-entry-issue.ts";
import { findBody, findDirectory, readDirectory, type ZipBody, type ZipEntry } from "./zip-layout.ts";

export type ZipContent = {
  /** Empty as soon as there is an issue. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly issues: readonly PackageIssue[];
};

/**
 * Reads a zip that may be hostile. Never throws and writes nothing. It inflates nothing before every entry has been
 * checked by the directory, so memory stays below the total limit and work below one pass over the archive.
 */
export function readZip(bytes: Uint8Array): ZipContent {
  if (bytes.length > PACKAGE_LIMITS.archiveBytes) {
    return refuse("package_too_large", `The zip is larger than ${PACKAGE_LIMITS.archiveBytes} bytes.`);
  }
  const directory = findDirectory(bytes);
  if (typeof directory === "string") return refuse("package_damaged", `The zip cannot be read: ${directory}.`);
  if (directory.count > PACKAGE_LIMITS.entries) {
    return refuse(
      "package_too_large",
      `The zip lists ${directory.count} entries; at most ${PACKAGE_LIMITS.entries} are allowed.`,
    );
  }
  const entries = readDirectory(bytes, directory);
  if (typeof entries === "string") return refuse("package_damaged", `The zip cannot be read: ${entries}.`);

  const bodies = new Map<ZipEntry, ZipBody>();
  const issues: PackageIssue[] = [];
  const named: ZipEntry[] = [];
  for (const entry of entries) {
    const issue = findEntryIssue(entry) ?? findSizeIssue(entry);
    if (issue !== undefined) issues.push(issue);
    if (issue?.code !== "package_path") named.push(entry);
    const body = findBody(bytes, entry, directory.start);
    if (typeof body !== "string") bodies.set(entry, body);
    else if (issue === undefined) issues.push(damaged(entry, body));
  }
  issues.push(...findSharedPaths(named), ...findTotalIssues(entries));
  if (issues.length === 0) issues.push(...findStrayBytes(bodies, directory.start));
  if (issues.length > 0) return { files: new Map(), issues };
  return inflateAll(bodies);
}

function refuse(code: PackageIssue["code"], message: string): ZipContent {
  return { files: new Map(), issues: [packageIssue(code, "", message)] };
}

function damaged(entry: ZipEntry, reason: string): PackageIssue {
  return packageIssue("package_damaged", entry.path, `${entry.path} is damaged: ${reason}.`);
}

function findSizeIssue({ path, size, packedSize }: ZipEntry): PackageIssue | undefined {
  const limits = PACKAGE_LIMITS;
  if (size > limits.fileBytes) {
    const message = `${path} unpacks to ${size} bytes; at most ${limits.fileBytes} are allowed in one file.`;
    return packageIssue("package_too_large", path, message);
  }
  if (size > limits.ratioFloorBytes && size > packedSize * limits.ratio) {
    const message = `${path} unpacks to more than ${limits.ratio} times its packed size.`;
    return packageIssue("package_too_large", path, message);
  }
  return undefined;
}

function findTotalIssues(entries: readonly ZipEntry[]): readonly PackageIssue[] {
  const issues: PackageIssue[] = [];
  const files = entries.filter((entry) => !isDirectory(entry)).length;
  if (files > PACKAGE_LIMITS.files) {
    const message = `The package holds ${files} files; at most ${PACKAGE_LIMITS.files} are allowed.`;
    issues.push(packageIssue("package_too_large", "", message));
  }
  const total = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (total > PACKAGE_LIMITS.totalBytes) {
    const message = `The package unpacks to ${total} bytes; at most ${PACKAGE_LIMITS.totalBytes} are allowed.`;
    issues.push(packageIssue("package_too_large", "", message));
  }
  return issues;
}

/**
 * Finds a name that comes twice, two names that some disks treat as one, and a file that is also a folder. Expects
 * valid paths only.
 */
function findSharedPaths(entries: readonly ZipEntry[]): readonly PackageIssue[] {
  const issues: PackageIssue[] = [];
  const seen = new Map<string, ZipEntry>();
  const folders = new Map<string, ZipEntry>();
  const report = ({ path }: ZipEntry, other: ZipEntry) => {
    const message =
      path === other.path
        ? `${path} is in the package twice.`
        : `${path} and ${other.path} are one and the same on some disks.`;
    issues.push(packageIssue("package_duplicate_path", path, message));
  };
  for (const entry of entries) {
    const key = collisionKey(entry.path).replace(/\/$/, "");
    const other = seen.get(key);
    if (other !== undefined) report(entry, other);
    else seen.set(key, entry);
    for (let slash = key.indexOf("/"); slash >= 0; slash = key.indexOf("/", slash + 1)) {
      folders.set(key.slice(0, slash), entry);
    }
  }
  for (const [key, entry] of seen) {
    const inside = folders.get(key);
    if (inside !== undefined && !isDirectory(entry)) report(inside, entry);
  }
  return issues;
}

/** Entries must lie one after the other and fill the archive: no byte is read twice, none is hidden. */
function findStrayBytes(bodies: ReadonlyMap<ZipEntry, ZipBody>, end: number): readonly PackageIssue[] {
  const ordered = [...bodies].sort(([, one], [, other]) => one.start - other.start);
  let at = 0;
  for (const [entry, body] of ordered) {
    if (body.start < at) return [damaged(entry, "its data overlaps that of another file")];
    if (body.start > at) return [damaged(entry, "bytes that belong to no file lie before it")];
    at = body.end;
  }
  if (at === end) return [];
  const message = "The zip cannot be read: bytes that belong to no file lie before its directory.";
  return [packageIssue("package_damaged", "", message)];
}

function inflateAll(bodies: ReadonlyMap<ZipEntry, ZipBody>): ZipContent {
  const files = new Map<string, Uint8Array>();
  const issues: PackageIssue[] = [];
  for (const [entry, { packed }] of bodies) {
    const content = inflate(entry, packed);
    if (typeof content === "string") issues.push(damaged(entry, content));
    else if (crc32(content) !== entry.crc) issues.push(damaged(entry, "its checksum is wrong"));
    else if (!isDirectory(entry) && !isFileManagerLitter(entry.path)) files.set(entry.path, content);
  }
  return issues.length > 0 ? { files: new Map(), issues } : { files, issues };
}

function inflate(entry: ZipEntry, packed: Uint8Array): Uint8Array | string {
  // A copy, so that a stored file does not keep the whole archive alive.
  if (entry.method === 0) return packed.slice();
  try {
    // Reading one byte more than declared reveals a file that lies about its size.
    const options = { maxOutputLength: entry.size + 1, info: true } as const;
    const { buffer, engine } = parseInflated(inflateRawSync(packed, options));
    if (buffer.length !== entry.size) return "it does not unpack to the size it declares";
    if (engine.bytesWritten !== packed.length) return "bytes follow the end of its packed data";
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    return isTooLong ? "it unpacks to more than the size it declares" : "its packed data is broken";
  }
}

type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

/** With `info` zlib returns more than its type says: also how many packed bytes it used. */
function parseInflated(value: unknown): Inflated {
  return value as Inflated;
}
