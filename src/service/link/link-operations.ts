import { refuse } from "#core/app-error.ts";
import { afterWrongToken, type WrongTokenNeeds } from "#service/access/after-wrong-token.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { Background } from "#service/background.ts";
import { describeGateway, describeGateways, fleetOverview } from "#service/link/fleet-overview.ts";
import { type JoinNeeds, joinCloud, leaveCloud, uplinkStatus } from "#service/link/join-cloud.ts";
import { joinCodeOperations } from "#service/link/join-code-operations.ts";
import { giveSite, joinGateway } from "#service/link/join-gateway.ts";
import {
  fleetSchema,
  gatewayAnswer,
  gatewaySchema,
  joinedSchema,
  joinSchema,
  newSiteGrantSchema,
  newUplinkSchema,
  parseCloudUrl,
  renderFleet,
  renderGateway,
  renderUplink,
  uplinkSchema,
} from "#service/link/link-wire.ts";
import type { Links } from "#service/link/links.ts";
import { requireCloud } from "#service/link/require-cloud.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, list, pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING } from "#service/operation/wire.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";
const CLOUDS_LIST = "only a cloud lists the gateways that have joined it";
const TRUE_OR_FALSE = ["true", "false"] as const;

export interface LinkNeeds
  extends Pick<Needs, "gateways" | "telemetry" | "now" | "newId" | "randomBytes">,
    WrongTokenNeeds {
  readonly background: Background;
  readonly nodes: Pick<Nodes, "broadcast">;
  /** One of the two, by role. */
  readonly links: Links | undefined;
  readonly join: JoinNeeds | undefined;
}

export function linkOperations(needs: LinkNeeds): readonly Operation[] {
  const joinOf = () => {
    if (needs.join === undefined) throw refuse("not_available", "this server is a cloud; only a gateway joins a cloud");
    return needs.join;
  };
  return [
    ...joinCodeOperations(needs),
    operation({
      method: "POST",
      path: "/v3/gateways/join",
      name: "joinGateway",
      summary: "Exchange a code for a gateway's credential",
      description: "For gateways. The code is the only thing that is checked.",
      tag,
      level: "public",
      body: joinSchema,
      answer: joinedSchema,
      run: async (call) => {
        requireCloud(needs.links);
        const { gateway, credential } = await joinGateway(needs, call, call.body).catch((error: unknown) => {
          throw afterWrongToken(needs, call.remoteAddress, error);
        });
        return { gateway_id: gateway.id, credential };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/gateways",
      name: "listGateways",
      summary: "List the gateways that have joined",
      tag,
      level: "installer",
      query: {
        ...paging,
        connected: choice(
          "Only gateways that are connected, or that are not; revoked ones are neither.",
          TRUE_OR_FALSE,
        ),
        "version.in": list("Only gateways that run one of these versions."),
      },
      answer: listAnswer("gateways", gatewaySchema),
      run: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links, CLOUDS_LIST);
        const { connected, "version.in": versions } = call.query;
        const filter = { isConnected: connected === undefined ? undefined : connected === "true", versions };
        const { items, total } = await needs.gateways.list(filter, pageOf(call.query));
        return { gateways: (await describeGateways(needs, items)).map(renderGateway), total_count: total };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/gateways/overview",
      name: "getFleet",
      summary: "Count the gateways by state and version, and add up their backlogs",
      description:
        "Backlogs are those that the gateways reported last. The backlog of an offline gateway may be larger than shown.",
      tag,
      level: "installer",
      answer: fleetSchema,
      run: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links, CLOUDS_LIST);
        return renderFleet(await fleetOverview(needs));
      },
    }),
    operation({
      method: "GET",
      path: "/v3/gateways/:gateway_id",
      name: "getGateway",
      summary: "Read a gateway that has joined, with what it reported last",
      tag,
      level: "installer",
      answer: gatewayAnswer,
      run: async (call) => {
        requireAllSites(call.caller);
        const gateway = await needs.gateways.find(call.params.gateway_id);
        if (gateway === undefined) throw noGateway(call.params.gateway_id);
        const described = await describeGateway(needs, gateway);
        if (described === undefined) throw noGateway(gateway.id);
        return { gateway: renderGateway(described) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/gateways/:gateway_id",
      name: "revokeGateway",
      summary: "Revoke a gateway's access",
      description: "Its connection ends at once. Its sites stay as they were last reported.",
      tag,
      level: "installer",
      answer: NOTHING,
      run: async (call) => {
        requireAllSites(call.caller);
        const { gateway_id: id } = call.params;
        const trail = auditTrail(needs, call, { target: {}, details: { gateway_id: id } });
        if (!(await needs.gateways.revoke(id, needs.now(), trail))) throw await notJoined(needs, id);
        needs.links?.disconnect(id);
        needs.nodes.broadcast({ kind: "revoked", id });
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/gateways/:gateway_id/sites",
      name: "giveSite",
      summary: "Let a gateway take over a site of another gateway",
      description:
        "The gateway has the site as soon as it names it: at once if it is connected and has the site. The former gateway is refused the site from then on. Without this, or a join code that names the site or the former gateway, a site keeps its gateway.",
      tag,
      level: "installer",
      body: newSiteGrantSchema,
      answer: NOTHING,
      run: async (call) => {
        requireAllSites(call.caller);
        const links = requireCloud(needs.links);
        const [gatewayId, siteId] = [call.params.gateway_id, call.body.site_id];
        await giveSite({ ...needs, links }, call, { gatewayId, siteId });
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/gateways/:gateway_id/rotate_credential",
      name: "rotateGatewayCredential",
      summary: "Let a gateway replace its credential",
      description:
        "At once if it is connected, else when it is. The former one works until the gateway has the new one.",
      tag,
      level: "installer",
      answer: NOTHING,
      run: async (call) => {
        requireAllSites(call.caller);
        const { gateway_id: id } = call.params;
        const trail = auditTrail(needs, call, { target: {}, details: { gateway_id: id } });
        if (!(await needs.gateways.askRotation(id, trail))) throw await notJoined(needs, id);
        needs.links?.rotate(id);
        needs.nodes.broadcast({ kind: "rotate", id });
        return {};
      },
    }),
    operation({
      method: "POST",
      path: "/v3/uplink",
      name: "joinCloud",
      summary: "Join a cloud",
      description: "On a gateway. From then on its sites are shown in the cloud, and the cloud can run commands here.",
      tag,
      level: "installer",
      body: newUplinkSchema,
      answer: uplinkSchema,
      run: async (call) => {
        const { url, code } = call.body;
        return renderUplink(await joinCloud(joinOf(), call, { url: parseCloudUrl(url), code }));
      },
    }),
    operation({
      method: "GET",
      path: "/v3/uplink",
      name: "getUplink",
      summary: "Read the state of the link to the cloud",
      tag,
      level: "owner",
      answer: uplinkSchema,
      run: async () => renderUplink(await uplinkStatus(joinOf())),
    }),
    operation({
      method: "DELETE",
      path: "/v3/uplink",
      name: "leaveCloud",
      summary: "Leave the cloud",
      description: "The gateway keeps running on its own. The cloud keeps the data it has received.",
      tag,
      level: "installer",
      answer: NOTHING,
      run: async (call) => {
        await leaveCloud(joinOf(), call);
        return {};
      },
    }),
  ];
}

const noGateway = (id: string) => refuse("not_found", `there is no gateway ${id.slice(0, 80)}`);

async function notJoined({ gateways }: Pick<LinkNeeds, "gateways">, id: string): Promise<Error> {
  const gateway = await gateways.find(id);
  return gateway === undefined ? noGateway(id) : refuse("not_found", `the gateway ${gateway.name} is revoked already`);
}
