// A blueprint's package as the page handles it: the manifest as text, everything else as it is.
import type { PackageText } from "./manifest-tools.ts";
import { type Files, readZip, writeZip } from "./zip.ts";

export const MANIFEST = "manifest.yml";

export type Package = {
  readonly manifest: string;
  /** All other files by path. */
  readonly others: Files;
};

export async function readPackage(zip: Uint8Array): Promise<Package> {
  const files = await readZip(zip);
  const others = new Map([...files].filter(([path]) => path !== MANIFEST));
  return { manifest: decode(files.get(MANIFEST)), others };
}

/** What an upload takes: a bare manifest when there is nothing else, otherwise a zip. */
export function packageBytes({ manifest, others }: Package): Uint8Array {
  const text = new TextEncoder().encode(manifest);
  return others.size === 0 ? text : writeZip(new Map([...others, [MANIFEST, text]]));
}

/** What the worker gets. The files of a bare manifest are not asked for. */
export function packageText({ manifest, others }: Package): PackageText {
  const files =
    others.size === 0 ? undefined : Object.fromEntries([...others].map(([path, file]) => [path, decode(file)]));
  return { manifest, files };
}

/** A package from texts. Files that are no texts are those of `base`. */
export function packageOf({ manifest, files = {} }: PackageText, base?: Package): Package {
  const bytes = (path: string, text: string) => {
    const known = base?.others.get(path);
    return known !== undefined && textOf(known) === undefined ? known : encode(text);
  };
  return { manifest, others: new Map(Object.entries(files).map(([path, text]) => [path, bytes(path, text)])) };
}

/** Undefined: it is no text, or there is no such file. */
export function textOfFile({ manifest, others }: Package, path: string): string | undefined {
  return path === MANIFEST ? manifest : textOf(others.get(path));
}

export function withFile({ manifest, others }: Package, path: string, text: string): Package {
  return path === MANIFEST
    ? { manifest: text, others }
    : { manifest, others: new Map([...others, [path, encode(text)]]) };
}

export function withoutFile({ manifest, others }: Package, path: string): Package {
  return { manifest, others: new Map([...others].filter(([one]) => one !== path)) };
}

export function samePackage(one: Package, other: Package): boolean {
  if (one.manifest !== other.manifest || one.others.size !== other.others.size) return false;
  return [...one.others].every(([path, bytes]) => sameBytes(bytes, other.others.get(path)));
}

/** Whether a file of a package may have this path: relative, without steps upwards, with letters that every system takes. */
export function isFilePath(path: string): boolean {
  return /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(path);
}

function sameBytes(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return one === other || (one.length === other?.length && one.every((byte, index) => byte === other[index]));
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
