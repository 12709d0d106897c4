import { gunzipSync } from "node:zlib";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { findPathFault } from "#core/blueprint/package-path.ts";
import { itemAt } from "#core/item-at.ts";

const BLOCK = 512;
const REGULAR = new Set(["0", "\0", "7"]);
/** Entries that give a longer name to the next one: GNU's, and the extended header of POSIX. */
const LONG_NAME = "L";
const EXTENDED = "x";

/**
 * The regular files of a gzipped tar, by path; undefined when it is damaged or too large. Links, devices and paths that
 * lead outside are ignored.
 */
export function readTarGz(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined {
  let tar: Buffer;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: PACKAGE_LIMITS.totalBytes });
  } catch {
    return undefined;
  }
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(textOf(header, 124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || at + BLOCK + size > tar.length) return undefined;
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(itemAt(header, 156));
    if (type === LONG_NAME) longName = textOf(content, 0, size);
    else if (type === EXTENDED) longName = /\d+ path=([^\n]*)\n/.exec(content.toString("utf8"))?.[1] ?? longName;
    else {
      const path = (longName ?? shortName(header)).replace(/^(?:\.\/)+/, "");
      longName = undefined;
      if (REGULAR.has(type) && findPathFault(path) === undefined) files.set(path, content);
      if (files.size > PACKAGE_LIMITS.files) return undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function shortName(header: Buffer): string {
  const prefix = textOf(header, 257, 5) === "ustar" ? textOf(header, 345, 155) : "";
  const name = textOf(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

function textOf(bytes: Buffer, from: number, length: number): string {
  const part = bytes.subarray(from, from + length);
  const end = part.indexOf(0);
  return part.toString("utf8", 0, end < 0 ? length : end);
}
