import { clock } from "#web/data/clock.svelte.ts";
import { perform } from "#web/data/connection.ts";
import { live } from "#web/data/live.svelte.ts";
import { startOfDay } from "#web/i18n/format.ts";
import type { CounterSteps } from "./counter-steps.ts";

const HOUR = 3_600_000;
const AGAIN_AFTER = 300_000;

/** Doubtful steps and corrections of yesterday and today. Call it while a component is made. */
export function siteSteps(siteId: () => string, zone: () => string, isWanted: () => boolean) {
  let steps = $state.raw<CounterSteps | undefined>();
  let round = $state(0);

  const again = () => {
    round += 1;
  };
  $effect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, AGAIN_AFTER);
    const stop = live.onCatchUp(again);
    return () => {
      clearInterval(timer);
      stop();
    };
  });

  $effect(() => {
    void round;
    if (!isWanted()) return;
    const from = new Date(startOfDay(startOfDay(clock.read(), zone()) - HOUR, zone())).toISOString();
    let isOld = false;
    perform("getSiteEnergy", { params: { site_id: siteId() }, query: { from } }).then(
      ({ energy }) => {
        if (!isOld) steps = energy;
      },
      // The overview has more to show; it is read again later.
      () => {},
    );
    return () => {
      isOld = true;
    };
  });

  return {
    get current(): CounterSteps | undefined {
      return steps;
    },
    again,
  };
}
