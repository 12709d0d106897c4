/** Shorter periods would only waste processor time. */
const MIN_PERIOD_MS = 10;
const MAX_JOBS = 1_000;

interface Job {
  readonly periodMs: number;
  due: number;
}

/** What a script has asked the scheduler for. Times are elapsed milliseconds. */
export interface JobList {
  add(periodMs: number, now: number): number;
  remove(id: number): void;
  /** The job that is due and has waited longest; its next time is set, so that it never waits twice. */
  takeDue(now: number): number | undefined;
  nextDue(): number | undefined;
}

export function createJobList(): JobList {
  const jobs = new Map<number, Job>();
  let lastId = 0;

  function earliest(): readonly [number, Job] | undefined {
    let found: readonly [number, Job] | undefined;
    for (const entry of jobs) if (found === undefined || entry[1].due < found[1].due) found = entry;
    return found;
  }

  return {
    add(period, now) {
      if (jobs.size >= MAX_JOBS) throw new RangeError(`more than ${MAX_JOBS} jobs`);
      if (!(period >= 0)) throw new RangeError("the period of a job must be a number of milliseconds");
      const periodMs = Math.max(MIN_PERIOD_MS, period);
      lastId += 1;
      jobs.set(lastId, { periodMs, due: now + periodMs });
      return lastId;
    },
    remove(id) {
      jobs.delete(id);
    },
    takeDue(now) {
      const [id, job] = earliest() ?? [];
      if (job === undefined || job.due > now) return undefined;
      // Missed ticks are skipped; the phase stays.
      job.due += job.periodMs * Math.max(1, Math.ceil((now - job.due + 1) / job.periodMs));
      return id;
    },
    nextDue: () => earliest()?.[1].due,
  };
}
