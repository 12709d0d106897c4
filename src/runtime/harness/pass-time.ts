import { performance } from "node:perf_hooks";
import type { DeviceScript } from "#runtime/lua/script-host.ts";
import type { VirtualClock } from "./virtual-clock.ts";

const SLICE_MS = 20;
/** How often a script may continue at one and the same moment. */
const MOST_TURNS = 20_000;
/** Real milliseconds between signs of life. */
const SIGN_MS = 200;

export interface Passing {
  readonly clock: VirtualClock;
  readonly script: DeviceScript;
  /** Whether somebody has answered the script since the last question. */
  readonly takeWake: () => boolean;
  readonly alive: () => void;
  /** Ends it early. */
  readonly isDone?: (() => boolean) | undefined;
}

/**
 * Lets virtual time pass until then, and runs the script whenever it wants to. `stuck`: the script runs on and on at
 * one moment. `dead`: it was given up; time has passed nevertheless.
 */
export async function passTime(passing: Passing, until: number): Promise<"passed" | "stuck" | "dead"> {
  const { clock, script, takeWake, alive, isDone } = passing;
  let signedAt = performance.now();
  let turns = 0;
  for (;;) {
    const state = script.run(SLICE_MS);
    const wall = performance.now();
    if (wall - signedAt > SIGN_MS) {
      alive();
      signedAt = wall;
    }
    turns += 1;
    if (turns > MOST_TURNS) return "stuck";
    if (state === "more") continue;
    // Pending answers arrive before time moves on.
    if (state === "waiting") await settle();
    if (takeWake()) continue;
    const next = nextMoment(passing, state);
    const isOver = isDone?.() === true;
    if (isOver || next > until) {
      if (!isOver) clock.moveTo(until);
      return state === "dead" ? "dead" : "passed";
    }
    if (next > clock.elapsed()) turns = 0;
    clock.moveTo(next);
    let hasRung = false;
    while (clock.ring()) hasRung = true;
    if (hasRung) await settle();
  }
}

/** When something happens next: now, at an alarm, or when the script wants to run. */
function nextMoment({ clock, script }: Passing, state: ReturnType<DeviceScript["run"]>): number {
  const due = state === "dead" ? undefined : script.nextDue();
  // A script that waits for an answer does not run earlier, whatever is due.
  const isHeldUp = state === "waiting" && due !== undefined && due <= clock.elapsed();
  const never = Number.POSITIVE_INFINITY;
  return Math.min(isHeldUp ? never : (due ?? never), clock.nextAt() ?? never);
}

/** Delivers everything that is pending and does not wait for time. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
