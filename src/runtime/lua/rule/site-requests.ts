// How many requests the rules of a site have under way at once. Rules of other sites do not wait for them.

export interface SiteRequests {
  /** A place, given back by the answered function; undefined when none became free in time. In the order of asking. */
  take(siteId: string): Promise<(() => void) | undefined>;
}

interface SiteRequestLimits {
  readonly atOnce: number;
  readonly patienceMs: number;
  /** Calls back later, unless the answered function is called before. */
  readonly after: (ms: number, run: () => void) => () => void;
}

interface Places {
  taken: number;
  /** Each is called when a place is its own. */
  readonly waiting: Set<() => void>;
}

export function createSiteRequests({ atOnce, patienceMs, after }: SiteRequestLimits): SiteRequests {
  const sites = new Map<string, Places>();

  function give(siteId: string, places: Places): void {
    const [next] = places.waiting;
    if (next === undefined) {
      places.taken -= 1;
      if (places.taken === 0) sites.delete(siteId);
    } else {
      places.waiting.delete(next);
      next();
    }
  }

  return {
    async take(siteId) {
      const places = sites.get(siteId) ?? { taken: 0, waiting: new Set() };
      sites.set(siteId, places);
      const given = () => give(siteId, places);
      if (places.taken < atOnce) {
        places.taken += 1;
        return given;
      }
      return await new Promise((resolve) => {
        const cancel = after(patienceMs, () => {
          places.waiting.delete(turn);
          resolve(undefined);
        });
        const turn = (): void => {
          cancel();
          resolve(given);
        };
        places.waiting.add(turn);
      });
    },
  };
}
