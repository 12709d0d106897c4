// Which commits of a shared database had happened at a moment. Commits have numbers, which are given out before they
// happen: a moment is all numbers before `end`, except those that were still running.

export interface Moment {
  /** `first:end:running,running,...`; every commit before `first` had happened. */
  readonly text: string;
  readonly first: number;
  readonly end: number;
  readonly running: ReadonlySet<number>;
}

/** All numbers are raised by `base`. */
export function parseMoment(text: string, base = 0): Moment {
  if (!/^\d+:\d+:[\d,]*$/.test(text)) throw new RangeError(`no moment: ${text}`);
  const [first = 0, end = 0] = text.split(":", 2).map((one) => Number(one) + base);
  const running = (text.split(":")[2] ?? "").split(",").filter((one) => one !== "");
  const raised = running.map((one) => Number(one) + base);
  return { text: `${first}:${end}:${raised.join(",")}`, first, end, running: new Set(raised) };
}

/** The same moment without what happened at `end` and after it. */
export function before(moment: Moment, end: number): Moment {
  const { first, running } = moment;
  if (end >= moment.end) return moment;
  const left = [...running].filter((one) => one < end);
  return parseMoment(`${Math.min(first, end)}:${end}:${left.join(",")}`);
}

/** Whether the commit had happened. */
export function includes({ first, end, running }: Moment, commit: number): boolean {
  return commit < first || (commit < end && !running.has(commit));
}
