// Runs many scripts on one thread, each for a few milliseconds at a time. In each turn, scripts that are due and kept within
// their last slice run first. Then one script that overran its slice runs, and then one that starts. Scripts that go on
// computing share the rest of the time, at most half of the thread. Among scripts of the same pace, sites take turns and pay
// with the time they used: the scripts of one site may be held up in C code one after the other, and the others wait for one.
import { createFairQueue } from "#core/share/fair-queue.ts";
import type { DeviceScript } from "./script-host.ts";

const SLICE_MS = 4;
/** After this long a turn ends, so that sockets and messages are served, even if scripts still wait. */
const TURN_MS = 8;
/** Processor time of a run that is far beyond its slice. */
const SLOW_MS = 10;

/** Of its last run. "computing": it used up its slice. "slow": it was held up in C code, and may be again. */
type Pace = "new" | "quick" | "slow" | "computing";

interface Runnable {
  readonly slot: number;
  readonly siteId: string;
  readonly script: DeviceScript;
  dueAt: number;
  pace: Pace;
  /** It is due, and in the queue of its pace. */
  isQueued: boolean;
}

export interface ScriptRunner {
  add(slot: number, siteId: string, script: DeviceScript): void;
  remove(slot: number): void;
  /** Something has arrived for the script. */
  wake(slot: number): void;
}

export interface RunnerNeeds {
  /** The script that is about to run, 0 when none is. */
  running(slot: number): void;
  died(slot: number): void;
  /** After each turn. */
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
  const queueOf = {
    new: createFairQueue<Runnable>(SLICE_MS),
    quick: createFairQueue<Runnable>(SLICE_MS),
    slow: createFairQueue<Runnable>(SLICE_MS),
    computing: createFairQueue<Runnable>(SLICE_MS),
  };
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let computeAt = 0;

  /** Those that have waited longest first. */
  function queueDue(now: number): void {
    const due = [...runnables.values()].filter(({ isQueued, dueAt }) => !isQueued && dueAt <= now);
    for (const runnable of due.sort((a, b) => a.dueAt - b.dueAt)) {
      runnable.isQueued = true;
      queueOf[runnable.pace].push(runnable.siteId, runnable);
    }
  }

  /** False when no script of that pace is due. */
  function runNext(pace: Pace): boolean {
    const runnable = queueOf[pace].shift()?.task;
    if (runnable === undefined) return false;
    runnable.isQueued = false;
    needs.running(runnable.slot);
    const before = processorMs();
    const outcome = runnable.script.run(SLICE_MS);
    const usedMs = processorMs() - before;
    needs.running(0);
    queueOf[pace].charge(runnable.siteId, usedMs);
    if (outcome === "dead") {
      runnables.delete(runnable.slot);
      needs.died(runnable.slot);
      return true;
    }
    if (outcome === "more") runnable.pace = "computing";
    else runnable.pace = usedMs > SLOW_MS && pace !== "new" ? "slow" : "quick";
    runnable.dueAt = outcome === "more" ? 0 : (runnable.script.nextDue() ?? Number.POSITIVE_INFINITY);
    return true;
  }

  function turn(): void {
    const began = performance.now();
    queueDue(began);
    const hasTime = (): boolean => performance.now() - began <= TURN_MS;
    while (hasTime() && runNext("quick"));
    if (hasTime()) runNext("slow");
    if (hasTime()) runNext("new");
    const now = performance.now();
    if (now >= computeAt && hasTime() && runNext("computing")) {
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
      dueAt = Math.min(dueAt, runnable.pace === "computing" ? computeAt : runnable.dueAt);
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
    add(slot, siteId, script) {
      runnables.set(slot, { slot, siteId, script, dueAt: 0, pace: "new", isQueued: false });
      soon();
    },
    remove(slot) {
      const runnable = runnables.get(slot);
      if (runnable?.isQueued) queueOf[runnable.pace].remove(runnable.siteId, runnable);
      runnables.delete(slot);
    },
    wake(slot) {
      const runnable = runnables.get(slot);
      if (!runnable || runnable.isQueued || runnable.pace === "computing") return;
      runnable.dueAt = performance.now();
      soon();
    },
  };
}
