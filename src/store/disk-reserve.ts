// Disk space that is kept for the time when there is none: a file of random bytes. When the disk is full, slices of it are
// given back, and what they free is used by commands alone.
import { randomBytes } from "node:crypto";
import { promises, statfsSync, statSync, truncateSync } from "node:fs";

const SLICE = 1024 * 1024;
const WHOLE = 16 * SLICE;

export interface DiskReserve {
  /** Gives a slice back to the disk; false when nothing is left. */
  release(): boolean;
  /** Adds a slice where that leaves room for others. */
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
    release() {
      const held = size();
      if (held === 0) return false;
      truncateSync(file, Math.max(0, held - SLICE));
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
      // What another program takes meanwhile is not there any more.
      if (wanted > 0) await add(wanted).catch(() => {});
    },
  };
}
