import { gunzipSync } from "node:zlib";
import { PACKAGE_LIMITS } from "#core/blueprint/package-limits.ts";
import { findPathFault } from "#core/blueprint/package-path.ts";
import { isTarEnd, parseTarHeader, TAR_BLOCK, tarPadding, tarText } from "#core/bytes/tar-header.ts";

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
  for (let at = 0; at + TAR_BLOCK <= tar.length; ) {
    const block = tar.subarray(at, at + TAR_BLOCK);
    if (isTarEnd(block)) break;
    const header = parseTarHeader(block);
    const start = at + TAR_BLOCK;
    if (header === undefined || start + header.size > tar.length) return undefined;
    const content = tar.subarray(start, start + header.size);
    if (header.type === LONG_NAME) longName = tarText(content);
    else if (header.type === EXTENDED) longName = /\d+ path=([^\n]*)\n/.exec(content.toString("utf8"))?.[1] ?? longName;
    else {
      const path = (longName ?? header.name).replace(/^(?:\.\/)+/, "");
      longName = undefined;
      if (REGULAR.has(header.type) && findPathFault(path) === undefined) files.set(path, content);
      if (files.size > PACKAGE_LIMITS.files) return undefined;
    }
    at = start + header.size + tarPadding(header.size);
  }
  return files;
}
