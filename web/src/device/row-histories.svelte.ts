import { SvelteMap } from "svelte/reactivity";
import { client } from "#web/data/client.ts";
import { clock } from "#web/data/clock.svelte.ts";
import { live } from "#web/data/live.svelte.ts";
import type { Attribute } from "#web/data/manifest.ts";
import { type Points, readItems } from "#web/explore/read-items.ts";
import { itemFor, lastDay, type RowGrid } from "./row-history.ts";

/** The interface answers this many attributes at once. */
const MOST_ATTRIBUTES = 10;
/** Rows that come into sight one after the other are asked for together. */
const COLLECT_MS = 120;
const AGAIN_AFTER = 120_000;

export type RowHistory = { readonly grid: RowGrid; readonly points: Points };

/** The last day of those values of a device that somebody has seen. Call it while a component is made. */
export function rowHistories(device: () => string) {
  const found = new SvelteMap<string, RowHistory>();
  const seen = new Map<string, Attribute>();
  let waiting = new Map<string, Attribute>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** A history is an addition: without one the row is still a row. */
  async function read(wanted: readonly Attribute[]) {
    const grid = lastDay(clock.read());
    const settings = { from: grid.from / 1000, to: grid.to / 1000, granularity: `${grid.bucketMs / 1000}s` };
    for (let first = 0; first < wanted.length; first += MOST_ATTRIBUTES) {
      const part = wanted.slice(first, first + MOST_ATTRIBUTES);
      try {
        const answers = await readItems(
          client.telemetry.rows,
          settings,
          part.map((attribute) => itemFor(device(), attribute)),
        );
        for (const [index, { id }] of part.entries()) {
          const answer = answers[index];
          const points = answer !== undefined && "points" in answer ? answer.points[0] : undefined;
          if (points !== undefined) found.set(id, { grid, points });
        }
      } catch {
        // The next round asks again.
      }
    }
  }

  $effect(() => {
    const again = () => void (document.hidden || read([...seen.values()]));
    const interval = setInterval(again, AGAIN_AFTER);
    const stop = live.onCatchUp(again);
    return () => {
      clearInterval(interval);
      clearTimeout(timer);
      stop();
    };
  });

  return {
    of: (attribute: string): RowHistory | undefined => found.get(attribute),
    /** Somebody sees this value now. */
    want(attribute: Attribute): void {
      if (seen.has(attribute.id)) return;
      seen.set(attribute.id, attribute);
      waiting.set(attribute.id, attribute);
      timer ??= setTimeout(() => {
        const list = [...waiting.values()];
        waiting = new Map();
        timer = undefined;
        void read(list);
      }, COLLECT_MS);
    },
  };
}
