// The schedule of all simulated devices together: one timer, whatever their number.
import type { Background } from "#service/background.ts";

export interface Agenda {
  /** Runs it after that many milliseconds, or a little later. Returns the function that cancels it. */
  add(ms: number, task: () => void): () => void;
  stop(): void;
}

interface AgendaNeeds {
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly background: Background;
}

/** Everything due within this time runs together, so that a thousand devices wake the process fifty times a second. */
const TOGETHER_MS = 20;

export function createAgenda({ elapsed, after, background }: AgendaNeeds): Agenda {
  /** Tasks by the moment, in steps, at which they are due. */
  const due = new Map<number, Set<() => void>>();
  let awake: { readonly step: number; readonly callOff: () => void } | undefined;

  function sleep(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const step of due.keys()) if (step < next) next = step;
    if (awake?.step === next) return;
    awake?.callOff();
    awake =
      next === Number.POSITIVE_INFINITY
        ? undefined
        : { step: next, callOff: after(Math.max(next * TOGETHER_MS - elapsed(), 0), work) };
  }

  function work(): void {
    awake = undefined;
    const now = elapsed();
    const ripe = [...due.keys()].filter((step) => step * TOGETHER_MS <= now).sort((a, b) => a - b);
    for (const step of ripe) {
      const tasks = due.get(step) ?? [];
      due.delete(step);
      for (const task of tasks) {
        // The failure of one device must not stop the others.
        try {
          task();
        } catch (error) {
          background.run("run a simulated device", async () => {
            throw error;
          });
        }
      }
    }
    sleep();
  }

  return {
    add(ms, task) {
      const step = Math.ceil((elapsed() + Math.max(ms, 0)) / TOGETHER_MS);
      const tasks = due.get(step);
      // A task of its own, so that the same function can be on the agenda twice.
      const own = () => task();
      if (tasks === undefined) due.set(step, new Set([own]));
      else tasks.add(own);
      if (awake === undefined || step < awake.step) sleep();
      return () => {
        due.get(step)?.delete(own);
      };
    },
    stop() {
      due.clear();
      sleep();
    },
  };
}
