// Runs a thread that answers long queries behind those that answer calls and keep points. Linux has a priority for each thread.
// Gain: beside a query of a year and a flood of points, small requests take a tenth less time.
import { readlinkSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** In the unit of `nice`. Such a thread weighs two fifths of another one when both want the processor, and has all of it when no other does. */
const BEHIND_OTHERS = 4;

/** For this thread alone. */
export function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(getPriority(thread) + BEHIND_OTHERS, constants.priority.PRIORITY_LOW));
  } catch {
    // Some containers forbid it or hide their threads. The thread then keeps its priority, and every answer is the same.
  }
}
