import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** As `nice` counts: two fifths of the weight of the others where both want the processor, and all of it where nobody else does. */
const BEHIND_OTHERS = 4;

/**
 * Puts this thread behind the others, which Linux does thread by thread. A long query then takes what the threads that
 * answer calls and keep points leave over.
 */
export function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(getPriority(thread) + BEHIND_OTHERS, constants.priority.PRIORITY_LOW));
  } catch {
    // Some containers forbid it or hide their threads: it then runs as an equal, and every answer is the same.
  }
}
