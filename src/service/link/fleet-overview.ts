// The gateways of a cloud, for people: each with its last report, and totals of all.
import type { Gateway } from "#core/link/gateway.ts";
import { type ReportedFigures, readFigures } from "#core/link/gateway-figures.ts";
import { allPages } from "#service/all-pages.ts";
import type { GatewayPlace, NotedRefusal, VersionCount } from "#service/ports/link-store.ts";
import type { Needs } from "#service/ports.ts";

export type FleetNeeds = Pick<Needs, "gateways" | "telemetry">;

export interface DescribedGateway extends GatewayPlace {
  readonly gateway: Gateway;
  /** As of its last report. While it is away, its backlog may be larger. */
  readonly reported: ReportedFigures | undefined;
  /** Only where one gateway is described. */
  readonly takeover?: {
    readonly refused: readonly NotedRefusal[];
    readonly grantedSiteIds: readonly string[];
  };
}

export interface FleetOverview {
  readonly versions: readonly VersionCount[];
  readonly revoked: number;
  /** Gateways that have reported a backlog of changes or telemetry, or history that is lost. */
  readonly withBacklog: number;
  readonly withLoss: number;
  readonly backlog: {
    readonly changes: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
  };
  /** Of the telemetry that has waited longest, in seconds. */
  readonly oldestSeconds: number;
}

/** Devices whose newest values are asked for at once. */
const AT_ONCE = 50;

export async function describeGateways(
  needs: FleetNeeds,
  gateways: readonly Gateway[],
): Promise<readonly DescribedGateway[]> {
  const places = await needs.gateways.places(gateways.map(({ id }) => id));
  const described: DescribedGateway[] = [];
  for (let at = 0; at < gateways.length; at += AT_ONCE) {
    const some = gateways.slice(at, at + AT_ONCE).map(async (gateway) => {
      const { siteIds = [], deviceId, refusals = 0 } = places.get(gateway.id) ?? {};
      const reported = deviceId === undefined ? undefined : readFigures(await needs.telemetry.current(deviceId));
      return { gateway, siteIds, deviceId, refusals, reported };
    });
    described.push(...(await Promise.all(some)));
  }
  return described;
}

/** With what it may take over, and what is refused. */
export async function describeGateway(needs: FleetNeeds, gateway: Gateway): Promise<DescribedGateway | undefined> {
  const [described] = await describeGateways(needs, [gateway]);
  if (described === undefined) return undefined;
  const refused = await needs.gateways.refusals(gateway.id);
  return { ...described, takeover: { refused, grantedSiteIds: await needs.gateways.grantedSites(gateway.id) } };
}

export async function fleetOverview(needs: FleetNeeds): Promise<FleetOverview> {
  const valid: Gateway[] = [];
  let revoked = 0;
  for await (const gateway of allPages((page) => needs.gateways.list({}, page))) {
    if (gateway.revokedAt === undefined) valid.push(gateway);
    else revoked++;
  }
  const reported = (await describeGateways(needs, valid)).flatMap((one) => one.reported ?? []);
  const sum = (of: (figures: ReportedFigures) => number) => reported.reduce((all, one) => all + of(one), 0);
  const count = (is: (figures: ReportedFigures) => boolean) => reported.filter(is).length;
  return {
    versions: await needs.gateways.versions(),
    revoked,
    withBacklog: count(({ backlog }) => backlog.history || backlog.changes + backlog.hours + backlog.messages > 0),
    withLoss: count(({ dropped }) => dropped.expired + dropped.unreadable > 0),
    backlog: {
      changes: sum(({ backlog }) => backlog.changes),
      points: sum(({ backlog }) => backlog.points),
      bytes: sum(({ backlog }) => backlog.bytes),
      hours: sum(({ backlog }) => backlog.hours),
    },
    oldestSeconds: reported.reduce((most, { backlog }) => Math.max(most, backlog.ageSeconds), 0),
  };
}
