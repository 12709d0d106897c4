// Runs many scripts on one thread, each for a few milliseconds at a time. In each turn, scripts that are due and kept within
// their last slice run first. Then one script that overran its slice runs, and then one that starts. Scripts that go on
// computing share the rest of the time, at most half of the thread.
import type { DeviceScript } from "./script-host.ts";

const SLICE_MS = 4;
/** After this long a turn ends, so that sockets and messages are served, even if scripts still wait. */
const TURN_MS = 8;
/** Processor time of a run that is far beyond its slice. */
const SLOW_MS = 10;

interface Runnable {
  readonly slot: number;
  readonly script: DeviceScript;
  dueAt: number;
  /** It used up its last slice. */
  isComputing: boolean;
  /** By its last run. A slow one was held up in C code, and may be again. */
  pace: "new" | "quick" | "slow";
}

export interface ScriptRunner {
  add(slot: number, script: DeviceScript): void;
  remove(slot: number): void;
  /** Something has arrived for the script. */
  wake(slot: number): void;
}

export interface RunnerNeeds {
  /** The script that is about to run, 0 when none is. */
  running(slot: number): void;
  died(slot: number): void;
  /** After each turn: what was said can be sent. */
  turned(): void;
}

/** Time of this thread alone: time in which others had the processor does not count. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** A longer timer would fire at once. A turn that comes early finds nothing due, and waits again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createScriptRunner(needs: RunnerNeeds): ScriptRunner {
  const runnables = new Map<number, Runnable>();
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let computeAt = 0;

  function runOne(runnable: Runnable): void {
    needs.running(runnable.slot);
    const before = processorMs();
    const outcome = runnable.script.run(SLICE_MS);
    runnable.pace = processorMs() - before > SLOW_MS && runnable.pace !== "new" ? "slow" : "quick";
    needs.running(0);
    runnable.isComputing = outcome === "more";
    runnable.dueAt = outcome === "more" ? 0 : (runnable.script.nextDue() ?? Number.POSITIVE_INFINITY);
    if (outcome !== "dead") {
      // Moved to the end of the queue, so that everyone gets a turn.
      if (runnables.delete(runnable.slot)) runnables.set(runnable.slot, runnable);
      return;
    }
    runnables.delete(runnable.slot);
    needs.died(runnable.slot);
  }

  function turn(): void {
    const began = performance.now();
    const due = [...runnables.values()].filter((runnable) => runnable.dueAt <= began);
    const waiting = due.filter(({ isComputing }) => !isComputing).sort((a, b) => a.dueAt - b.dueAt);
    const hasTime = (): boolean => performance.now() - began <= TURN_MS;
    for (const runnable of waiting.filter(({ pace }) => pace === "quick")) {
      if (runnables.has(runnable.slot)) runOne(runnable);
      if (!hasTime()) break;
    }
    for (const lane of ["slow", "new"]) {
      const first = waiting.find(({ pace }) => pace === lane);
      if (first && hasTime()) runOne(first);
    }
    const computing = due.find(({ isComputing }) => isComputing);
    const now = performance.now();
    if (computing && now >= computeAt && hasTime()) {
      runOne(computing);
      const ended = performance.now();
      computeAt = ended + (ended - now);
    }
    needs.turned();
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (immediate || runnables.size === 0) return;
    let dueAt = Number.POSITIVE_INFINITY;
    for (const runnable of runnables.values()) {
      dueAt = Math.min(dueAt, runnable.isComputing ? computeAt : runnable.dueAt);
    }
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const wait = dueAt - performance.now();
    if (wait <= 0) soon();
    else timer = setTimeout(turn, Math.min(Math.ceil(wait), LONGEST_TIMER_MS));
  }

  function soon(): void {
    immediate ??= setImmediate(() => {
      immediate = undefined;
      turn();
    });
  }

  return {
    add(slot, script) {
      runnables.set(slot, { slot, script, dueAt: 0, isComputing: false, pace: "new" });
      soon();
    },
    remove(slot) {
      runnables.delete(slot);
    },
    wake(slot) {
      const runnable = runnables.get(slot);
      if (!runnable || runnable.isComputing) return;
      runnable.dueAt = performance.now();
      soon();
    },
  };
}
