// A blueprint's package as the page handles it: the manifest as text, everything else as it is.
import type { PackageText } from "./manifest-tools.ts";
import { type Files, readZip, writeZip } from "./zip.ts";

const MANIFEST = "manifest.yml";

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

/** What the worker is told. The files of a bare manifest are not asked for. */
export function packageText({ manifest, others }: Package): PackageText {
  const files =
    others.size === 0 ? undefined : Object.fromEntries([...others].map(([path, file]) => [path, decode(file)]));
  return { manifest, files };
}

export function packageOf({ manifest, files = {} }: PackageText): Package {
  const encoder = new TextEncoder();
  return { manifest, others: new Map(Object.entries(files).map(([path, text]) => [path, encoder.encode(text)])) };
}

function decode(bytes: Uint8Array | undefined): string {
  return new TextDecoder().decode(bytes);
}
