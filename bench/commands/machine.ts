// Reads figures of processes and the disk from the machine.
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const TICKS_PER_SECOND = 100;
const PAGE = Buffer.alloc(4096, 1);

/** Processor seconds of a process so far, or only of its main thread; 0 where there is no /proc. */
export function cpuSeconds(pid: number, part: "all" | "main" = "all"): number {
  const fields =
    readProc(part === "all" ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/stat`)
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Processor seconds of a process, of its children and of those that have ended; 0 where there is no /proc. */
export function familySeconds(pid: number): number {
  const fields = readProc(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? [];
  const own = [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at] ?? 0), 0) / TICKS_PER_SECOND;
  const children = readProc(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);
  return children.reduce((seconds, child) => seconds + cpuSeconds(Number(child)), own);
}

/** Resident memory of a process in MiB; 0 where there is no /proc. */
export function memoryMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1] ?? "0";
  return Math.round(Number(kib) / 1024);
}

/** Milliseconds of each of some appends of a page that are flushed to the disk, as a commit flushes its log. */
export function flushTimes(folder: string, count: number): readonly number[] {
  const file = join(folder, "flush");
  const handle = openSync(file, "w");
  try {
    return Array.from({ length: count }, () => {
      writeSync(handle, PAGE);
      const began = performance.now();
      fdatasyncSync(handle);
      return performance.now() - began;
    });
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
