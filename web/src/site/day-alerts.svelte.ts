import type { Alert } from "#client/resources.ts";
import { perform } from "#web/data/connection.ts";
import { live } from "#web/data/live.svelte.ts";
import type { SiteState } from "#web/data/site-state.svelte.ts";

/** More than this many marks say no more. */
const MOST = 100;

/** Alerts of a site that began since a moment, those that have ended too, oldest first. Call it while a component is made. */
export function dayAlerts(site: () => SiteState, from: () => number) {
  let ended = $state.raw<readonly Alert[]>([]);
  const active = $derived(site().alerts);

  $effect(() => {
    const { id } = site();
    const filter = { active: false, "raised_at.gte": new Date(from()).toISOString(), limit: MOST };
    let isOld = false;
    /** They are an addition: without them the chart is still a chart. */
    const read = () =>
      void perform("listSiteAlerts", { params: { site_id: id }, query: filter }).then(
        ({ alerts }) => {
          if (!isOld) ended = alerts;
        },
        () => {},
      );
    read();
    const stops = [
      live.on(["alert"], (event) => event.site_id === id && event.alert.cleared_at !== undefined && read()),
      live.onCatchUp(read),
    ];
    return () => {
      isOld = true;
      for (const stop of stops) stop();
    };
  });

  const all = $derived(
    [...active, ...ended]
      .filter(({ raised_at }) => Date.parse(raised_at) >= from())
      .sort((a, b) => (a.raised_at < b.raised_at ? -1 : 1)),
  );
  return {
    get current(): readonly Alert[] {
      return all;
    },
  };
}
