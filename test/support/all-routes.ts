import { createShares } from "#core/share/shares.ts";
import { METRICS } from "#http/metrics.ts";
import type { Route } from "#http/route.ts";
import { createRoutes, type RouteNeeds } from "#http/routes.ts";
import { gateway } from "#role/gateway.ts";
import type { Parts } from "#role/parts.ts";
import { createOperations, type PerformNeeds } from "#service/operation/perform.ts";

/** Every route as data. Nothing is called, so little is needed. */
export function allRoutes(): readonly Route[] {
  const parts = {
    shares: createShares(),
    config: { database: {} },
    nodes: { isShared: false },
    carriers: {},
  } as unknown as Parts;
  const needs = {
    operations: createOperations({} as PerformNeeds),
    about: { version: "0", role: "gateway", headerPrefix: "X-Service", cookieName: "busbar" },
  } as unknown as RouteNeeds;
  const declared = gateway.subjects(parts).flatMap(({ operations = [] }) => operations);
  return [...createRoutes(needs, declared), { ...METRICS, run: () => Promise.reject(new Error("nothing is called")) }];
}
