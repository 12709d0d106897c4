import { statfsSync } from "node:fs";

/** The disk that the folder is on. */
export function diskOf(folder: string): { readonly freeBytes: number; readonly totalBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
