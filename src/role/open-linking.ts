// What both ends of a link need.
import { toMilliseconds } from "#core/time/duration.ts";
import { EVENT_LOOP } from "#event-loop";
import { createDial } from "#outbound/link/dial.ts";
import type { Engines } from "#role/open-engines.ts";
import { createLinkIntakes } from "#service/link/link-intake.ts";
import { createLinkTurns } from "#service/link/link-turns.ts";
import { LINK_HISTORY_BYTES, LINK_LIVE_BYTES } from "#service/link/take-telemetry.ts";
import { version } from "#version";

export type Linking = ReturnType<typeof openLinking>;

export function openLinking(engines: Engines) {
  const { config, budgets, shares, pause } = engines;
  const { credentialLifetime, maxSites, maxDevices, maxSeries, allowLocal } = config.link;
  return {
    ...engines,
    credentialLifetimeMs: toMilliseconds(credentialLifetime),
    linkedLimits: { sites: maxSites, devices: maxDevices, series: maxSeries },
    telemetryBudget: budgets.open("link_history", LINK_HISTORY_BYTES),
    liveBudget: budgets.open("link_values", LINK_LIVE_BYTES),
    linkIntakes: createLinkIntakes({ shares, budgets, loop: EVENT_LOOP, pause }),
    linkTurns: createLinkTurns(shares),
    version: version(),
    random: Math.random,
    ...createDial((url) => allowLocal || url === config.cloud.url),
  };
}
