import { ApiError } from "#client/errors.ts";
import type { Queries, SiteEnergy } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { live } from "#web/data/live.svelte.ts";

type Question = Queries["getSiteEnergy"];
interface Asked {
  readonly site: string;
  readonly question: Question;
}

/** A period that is still running is read again this often. */
const AGAIN_AFTER = 300_000;
/** When the server has too much to do. */
const PAUSE = 1_000;
const MOST_ATTEMPTS = 30;
/** Answers that are kept for a way back. */
const MOST_KEPT = 12;

/**
 * The energies that a question asks for, once it is known. It stays while the same is read again, and so does the last answer for each
 * period that was looked at before: going back shows it at once. Call it while a component is made.
 */
export function energyData(siteId: () => string, question: () => Question, isKnown: () => boolean) {
  let answer = $state.raw<{ readonly asked: string; readonly energy: SiteEnergy } | undefined>();
  let error = $state.raw<unknown>();
  let isReading = $state(false);
  let round = $state(0);
  const asked = $derived(JSON.stringify({ site: siteId(), question: question() }));
  /** Figures of one period never stand below the name of another. */
  const energy = $derived(answer?.asked === asked ? answer.energy : undefined);

  const kept = new Map<string, SiteEnergy>();
  function keep(own: string, found: SiteEnergy) {
    kept.delete(own);
    kept.set(own, found);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  /** What changed may have changed every period. */
  const again = () => {
    kept.clear();
    round += 1;
  };
  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && energy?.period.is_running !== false) again();
    }, AGAIN_AFTER);
    const stop = live.onCatchUp(again);
    return () => {
      clearInterval(timer);
      stop();
    };
  });

  /** Whoever moves quickly from period to period has several questions open: the server answers a few at once. */
  async function read({ site, question: query }: Asked, signal: AbortSignal): Promise<SiteEnergy> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await client.perform("getSiteEnergy", { params: { site_id: site }, query, signal })).energy;
      } catch (caught) {
        if (!(caught instanceof ApiError) || caught.code !== "overloaded" || attempt === MOST_ATTEMPTS) throw caught;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        if (signal.aborted) throw caught;
      }
    }
  }

  $effect(() => {
    void round;
    if (!isKnown()) return;
    const current = new AbortController();
    const own = asked;
    isReading = true;
    const known = kept.get(own);
    if (known !== undefined) [answer, error] = [{ asked: own, energy: known }, undefined];
    read(JSON.parse(own) as Asked, current.signal)
      .then(
        (found) => {
          if (current.signal.aborted) return;
          keep(own, found);
          [answer, error] = [{ asked: own, energy: found }, undefined];
        },
        (caught: unknown) => {
          if (!current.signal.aborted) error = caught;
        },
      )
      .finally(() => {
        if (!current.signal.aborted) isReading = false;
      });
    return () => current.abort();
  });

  return {
    get energy() {
      return energy;
    },
    get error() {
      return error;
    },
    get isReading() {
      return isReading;
    },
    again,
  };
}
