import { PACKAGE_LIMITS } from "./package-limits.ts";

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// Direction marks make a name read differently from what it is.
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Why a path may not be in a package, or undefined when it may. A path that passes stays inside the folder
 * it is unpacked into, on every operating system, and means one file.
 */
export function findPathFault(path: string): string | undefined {
  if (path === "") return "it is empty";
  if (path.length > PACKAGE_LIMITS.pathLength) return `it is longer than ${PACKAGE_LIMITS.pathLength} characters`;
  if (CONTROL.test(path)) return "it contains a control character";
  if (INVISIBLE.test(path) || LONE_SURROGATE.test(path)) return "it contains an invisible or broken character";
  if (path.includes("\\")) return "it contains a backslash; folders are separated by /";
  if (path.startsWith("/")) return "it is absolute";
  if (path.includes(":")) return "it contains a colon, which names a drive or a stream on Windows";
  const segments = path.split("/");
  if (segments.length > PACKAGE_LIMITS.pathDepth) return `it is more than ${PACKAGE_LIMITS.pathDepth} folders deep`;
  for (const segment of segments) {
    if (segment === "..") return "it leaves the package by ..";
    if (segment === "." || segment === "") return "it has an empty or . segment";
    if (/[. ]$/.test(segment)) return "a segment ends in a dot or a space, which Windows drops";
    if (RESERVED_ON_WINDOWS.test(segment)) return `${segment} is a device name on Windows`;
  }
  return undefined;
}

/** Two paths with the same key are one file on a disk that ignores case or composes accents. */
export function collisionKey(path: string): string {
  return path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

/** What file managers leave behind; it is never part of a package. */
export function isFileManagerLitter(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return path.startsWith("__MACOSX/") || name === ".DS_Store" || name === "Thumbs.db" || name === "desktop.ini";
}
