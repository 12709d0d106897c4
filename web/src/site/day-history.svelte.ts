import { timeseriesCsv } from "#client/timeseries-csv.ts";
import { clock } from "#web/data/clock.svelte.ts";
import { transport } from "#web/data/connection.ts";
import { type History, readHistory, type Wanted } from "#web/data/history.ts";
import { live } from "#web/data/live.svelte.ts";
import { startOfDay } from "#web/i18n/format.ts";

const BUCKET = 300_000;
const DAY = 86_400_000;
/** New buckets come this often. */
const AGAIN_AFTER = 120_000;

/**
 * The last 24 hours of some values, at least from the beginning of the site's day on. Read again from time to time, after
 * a lost connection, and when other values are wanted. Call it while a component is made.
 */
export function dayHistory(wanted: () => readonly Wanted[], zone: () => string) {
  let history = $state.raw<History | undefined>();
  let error = $state.raw<unknown>();
  let round = $state(0);

  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) round += 1;
    }, AGAIN_AFTER);
    const stop = live.onCatchUp(() => {
      round += 1;
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  });

  const question = $derived(JSON.stringify(wanted()));
  $effect(() => {
    void round;
    const list = JSON.parse(question) as readonly Wanted[];
    if (list.length === 0) return;
    const now = clock.read();
    const from = Math.floor(Math.min(now - DAY, startOfDay(now, zone())) / BUCKET) * BUCKET;
    let isOld = false;
    readHistory(async (question) => (await timeseriesCsv(transport, question)).pieces, list, {
      from,
      to: Math.ceil(now / BUCKET) * BUCKET,
      bucketMs: BUCKET,
    }).then(
      (found) => {
        if (!isOld) [history, error] = [found, undefined];
      },
      (caught: unknown) => {
        if (!isOld) error = caught;
      },
    );
    return () => {
      isOld = true;
    };
  });

  return {
    get history(): History | undefined {
      return history;
    },
    get error(): unknown {
      return error;
    },
  };
}
