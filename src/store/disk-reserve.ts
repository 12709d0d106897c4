// Disk space that is kept back for a full disk: a file of random bytes. When the disk is full, slices of the file are
// released, and only commands use the space that this frees.
import { randomBytes } from "node:crypto";
import { promises, statfsSync, statSync, truncateSync } from "node:fs";

const SLICE = 1024 * 1024;
const WHOLE = 16 * SLICE;

export interface DiskReserve {
  /** Releases a slice to the disk; false when nothing is left. The last slice is for the next opening of the files. */
  release(purpose: "commands" | "opening"): boolean;
  /** Adds a slice if enough room stays for others. */
  grow(): Promise<"whole" | "grown" | "no room">;
  /** Takes what is left of the disk, for a start on a disk that is still full. */
  takeRest(): Promise<void>;
  /** Bytes that are free for this user. */
  free(): number;
}

export function createDiskReserve(file: string, folder: string): DiskReserve {
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  const add = (bytes: number) => promises.appendFile(file, randomBytes(bytes), { mode: 0o600 });
  return {
    free,
    release(purpose) {
      const held = size();
      const least = purpose === "opening" ? 0 : SLICE;
      if (held <= least) return false;
      truncateSync(file, Math.max(least, held - SLICE));
      return true;
    },
    async grow() {
      const held = size();
      if (held >= WHOLE) return "whole";
      if (free() < WHOLE - held + 4 * SLICE) return "no room";
      await add(Math.min(SLICE, WHOLE - held));
      return "grown";
    },
    async takeRest() {
      const wanted = Math.min(WHOLE - size(), free());
      // Another program may have taken the space meanwhile.
      if (wanted > 0) await add(wanted).catch(() => {});
    },
  };
}
