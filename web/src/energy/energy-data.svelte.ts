import { ApiError } from "#client/errors.ts";
import type { Queries, SiteEnergy } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { live } from "#web/data/live.svelte.ts";

type Question = Queries["getSiteEnergy"];

/** A period that is still running is read again this often. */
const AGAIN_AFTER = 300_000;
/** When the server has too much to do. */
const PAUSE = 1_000;
const MOST_ATTEMPTS = 30;

/** The energies that a question asks for, once it is known. It stays while the same is read again. Call it while a component is made. */
export function energyData(siteId: () => string, question: () => Question, isKnown: () => boolean) {
  let answer = $state.raw<{ readonly asked: string; readonly energy: SiteEnergy } | undefined>();
  let error = $state.raw<unknown>();
  let isReading = $state(false);
  let round = $state(0);
  const asked = $derived(JSON.stringify(question()));
  /** Figures of one period never stand below the name of another. */
  const energy = $derived(answer?.asked === asked ? answer.energy : undefined);

  const again = () => {
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
  async function read(query: Question, signal: AbortSignal): Promise<SiteEnergy> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await client.perform("getSiteEnergy", { params: { site_id: siteId() }, query, signal })).energy;
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
    read(JSON.parse(own) as Question, current.signal)
      .then(
        (found) => {
          if (!current.signal.aborted) [answer, error] = [{ asked: own, energy: found }, undefined];
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
