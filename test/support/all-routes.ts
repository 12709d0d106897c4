import { createShares } from "#core/share/shares.ts";
import { UNLIMITED } from "#core/telemetry/retention.ts";
import { METRICS } from "#http/metrics.ts";
import type { RouteDescription } from "#http/route.ts";
import { createRoutes, type RouteNeeds } from "#http/routes.ts";
import { createOperations, type PerformNeeds } from "#service/operation/perform.ts";

/** Every route as data. Nothing is called, so little is needed. */
export function allRoutes(): readonly RouteDescription[] {
  const settings = {
    about: { version: "0", role: "gateway", headerPrefix: "X-Service", cookieName: "busbar" },
    endpoints: { mqtt: undefined, mqtts: undefined },
    issueCertificate: undefined,
    retentionDefault: () => UNLIMITED,
    checkReady: async () => {},
    underWay: () => [],
    troubles: { list: () => [] },
    guide: { page: () => undefined, picture: () => undefined },
    system: { status: () => Promise.reject(new Error("nothing is called")), log: () => [] },
  };
  const needs = { shares: createShares(), operations: createOperations({} as PerformNeeds) } as unknown as RouteNeeds;
  return [...createRoutes(needs, settings), METRICS];
}
