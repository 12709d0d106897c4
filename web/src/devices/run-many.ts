// The same work for several devices: a few at a time, each with its own end. Pure but for the work.

/** `open`: it was accepted and has not ended. `unsure`: nobody knows whether it arrived. `left`: it was not begun. */
export type Outcome = {
  readonly state: "waiting" | "running" | "done" | "open" | "failed" | "unsure" | "left";
  readonly text?: string | undefined;
};

export type Run<Item> = {
  readonly items: readonly Item[];
  readonly work: (item: Item) => Promise<Outcome>;
  readonly report: (item: Item, outcome: Outcome) => void;
  /** Nothing more is begun; what is under way goes on to its end. */
  readonly signal: AbortSignal;
};

/** Enough to hide the time of one answer, and no flood: a gateway serves other people, too. */
export const AT_ONCE = 4;

/** Every item is reported as waiting, then as running, then with its end. Never throws. */
export async function runMany<Item>({ items, work, report, signal }: Run<Item>): Promise<void> {
  for (const item of items) report(item, { state: "waiting" });
  const queue = items.values();
  async function follow(): Promise<void> {
    for (const item of queue) {
      if (signal.aborted) report(item, { state: "left" });
      else {
        report(item, { state: "running" });
        const outcome = await work(item).catch((error: unknown): Outcome => ({ state: "failed", text: String(error) }));
        report(item, outcome);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, follow));
}

/** How many have come to an end, and how many of those have to be looked at. */
export function summarise(outcomes: Iterable<Outcome>): {
  readonly ended: number;
  readonly done: number;
  readonly bad: number;
} {
  const states = [...outcomes].map(({ state }) => state);
  const count = (...wanted: readonly Outcome["state"][]) => states.filter((state) => wanted.includes(state)).length;
  return {
    ended: states.length - count("waiting", "running"),
    done: count("done"),
    bad: count("failed", "unsure", "left"),
  };
}
