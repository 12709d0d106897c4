import { refuse } from "#core/app-error.ts";
import { type AuthenticateNeeds, afterWrongToken } from "#http/authenticate.ts";
import { joinCodeRoutes } from "#http/link/join-code-routes.ts";
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
} from "#http/link/link-wire.ts";
import { requireCloud } from "#http/link/require-cloud.ts";
import { choice, list, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { listAnswer, NOTHING } from "#http/wire.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import type { Background } from "#service/background.ts";
import { describeGateway, describeGateways, fleetOverview } from "#service/link/fleet-overview.ts";
import { type JoinNeeds, joinCloud, leaveCloud, uplinkStatus } from "#service/link/join-cloud.ts";
import { giveSite, joinGateway, signInGateway } from "#service/link/join-gateway.ts";
import type { Links } from "#service/link/links.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";
const CLOUDS_LIST = "only a cloud lists the gateways that have joined it";
const TRUE_OR_FALSE = ["true", "false"] as const;

export interface LinkRouteNeeds
  extends Pick<Needs, "gateways" | "telemetry" | "now" | "newId" | "randomBytes">,
    Pick<AuthenticateNeeds, "wrongTokens"> {
  readonly background: Background;
  readonly nodes: Pick<Nodes, "tell">;
  /** One of the two, by role. */
  readonly links: Links | undefined;
  readonly join: JoinNeeds | undefined;
}

export function linkRoutes(needs: LinkRouteNeeds): readonly Route[] {
  const joinOf = () => {
    if (needs.join === undefined) throw refuse("not_available", "this server is a cloud; only a gateway joins a cloud");
    return needs.join;
  };
  return [
    ...joinCodeRoutes(needs),
    route({
      method: "POST",
      path: "/v3/gateways/join",
      operation: "joinGateway",
      summary: "Exchange a code for a gateway's credential",
      description: "For gateways. The code is the only thing that is checked.",
      tag,
      access: "public",
      body: joinSchema,
      answer: joinedSchema,
      handle: async (call) => {
        requireCloud(needs.links);
        const { gateway, credential } = await joinGateway(needs, call, call.body).catch((error: unknown) => {
          throw afterWrongToken(needs, call.remoteAddress, error);
        });
        return { gateway_id: gateway.id, credential };
      },
    }),
    route({
      method: "GET",
      path: "/v3/gateways",
      operation: "listGateways",
      summary: "List the gateways that have joined",
      tag,
      access: "installer",
      query: {
        ...paging,
        connected: choice(
          "Only gateways that are connected, or that are not; revoked ones are neither.",
          TRUE_OR_FALSE,
        ),
        "version.in": list("Only gateways that run one of these versions."),
      },
      answer: listAnswer("gateways", gatewaySchema),
      handle: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links, CLOUDS_LIST);
        const { connected, "version.in": versions } = call.query;
        const filter = { isConnected: connected === undefined ? undefined : connected === "true", versions };
        const { items, total } = await needs.gateways.list(filter, pageOf(call.query));
        return { gateways: (await describeGateways(needs, items)).map(renderGateway), total_count: total };
      },
    }),
    route({
      method: "GET",
      path: "/v3/gateways/overview",
      operation: "getFleet",
      summary: "Count the gateways by state and version, and add up what they have to tell",
      description: "Backlogs are those that the gateways reported last. That of a gateway that is away grows unseen.",
      tag,
      access: "installer",
      answer: fleetSchema,
      handle: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links, CLOUDS_LIST);
        return renderFleet(await fleetOverview(needs));
      },
    }),
    route({
      method: "GET",
      path: "/v3/gateways/:gateway_id",
      operation: "getGateway",
      summary: "Read a gateway that has joined, with what it reported last",
      tag,
      access: "installer",
      answer: gatewayAnswer,
      handle: async (call) => {
        requireAllSites(call.caller);
        const gateway = await needs.gateways.find(call.params.gateway_id);
        if (gateway === undefined) throw noGateway(call.params.gateway_id);
        const described = await describeGateway(needs, gateway);
        if (described === undefined) throw noGateway(gateway.id);
        return { gateway: renderGateway(described) };
      },
    }),
    route({
      method: "DELETE",
      path: "/v3/gateways/:gateway_id",
      operation: "revokeGateway",
      summary: "Revoke a gateway's access",
      description: "Its connection ends at once. Its sites stay, as they were last told.",
      tag,
      access: "installer",
      answer: NOTHING,
      handle: async (call) => {
        requireAllSites(call.caller);
        const { gateway_id: id } = call.params;
        const trail = auditTrail(needs, call, { target: {}, details: { gateway_id: id } });
        if (!(await needs.gateways.revoke(id, needs.now(), trail))) throw await notJoined(needs, id);
        needs.links?.disconnect(id);
        needs.nodes.tell({ kind: "revoked", id });
        return {};
      },
    }),
    route({
      method: "POST",
      path: "/v3/gateways/:gateway_id/sites",
      operation: "giveSite",
      summary: "Let a gateway take over a site of another gateway",
      description:
        "The gateway has the site as soon as it names it: at once if it is connected and has the site. The former gateway is refused the site from then on. Without this, or a join code that names the site or the former gateway, a site keeps its gateway.",
      tag,
      access: "installer",
      body: newSiteGrantSchema,
      answer: NOTHING,
      handle: async (call) => {
        requireAllSites(call.caller);
        const links = requireCloud(needs.links);
        const [gatewayId, siteId] = [call.params.gateway_id, call.body.site_id];
        await giveSite({ ...needs, links }, call, { gatewayId, siteId });
        return {};
      },
    }),
    route({
      method: "POST",
      path: "/v3/gateways/:gateway_id/rotate_credential",
      operation: "rotateGatewayCredential",
      summary: "Let a gateway replace its credential",
      description:
        "At once if it is connected, else when it is. The former one works until the gateway has the new one.",
      tag,
      access: "installer",
      answer: NOTHING,
      handle: async (call) => {
        requireAllSites(call.caller);
        const { gateway_id: id } = call.params;
        const trail = auditTrail(needs, call, { target: {}, details: { gateway_id: id } });
        if (!(await needs.gateways.askRotation(id, trail))) throw await notJoined(needs, id);
        needs.links?.rotate(id);
        needs.nodes.tell({ kind: "rotate", id });
        return {};
      },
    }),
    route({
      method: "GET",
      path: "/v3/link",
      operation: "openLink",
      summary: "The connection of a gateway, as a WebSocket",
      description: "For gateways, with their credential as bearer token. docs/link.md describes the messages.",
      tag,
      access: "public",
      answer: NOTHING,
      handle: async () => {
        throw refuse("invalid_request", "this path takes WebSockets of gateways only");
      },
      link: async (call) => {
        const links = requireCloud(needs.links);
        const gateway = await signInGateway(needs, /^Bearer (.+)$/.exec(call.header("authorization") ?? "")?.[1]);
        const talk = (socket: LinkSocket) => links.serve(gateway, socket);
        return { who: gateway.id, serve: (socket) => needs.background.run("talk to a gateway", () => talk(socket)) };
      },
    }),
    route({
      method: "POST",
      path: "/v3/uplink",
      operation: "joinCloud",
      summary: "Join a cloud",
      description: "On a gateway. From then on its sites are shown in the cloud, and the cloud can run commands here.",
      tag,
      access: "installer",
      body: newUplinkSchema,
      answer: uplinkSchema,
      handle: async (call) => {
        const { url, code } = call.body;
        return renderUplink(await joinCloud(joinOf(), call, { url: parseCloudUrl(url), code }));
      },
    }),
    route({
      method: "GET",
      path: "/v3/uplink",
      operation: "getUplink",
      summary: "Read the state of the link to the cloud",
      tag,
      access: "owner",
      answer: uplinkSchema,
      handle: async () => renderUplink(await uplinkStatus(joinOf())),
    }),
    route({
      method: "DELETE",
      path: "/v3/uplink",
      operation: "leaveCloud",
      summary: "Leave the cloud",
      description: "The gateway goes on by itself. The cloud keeps what it was told.",
      tag,
      access: "installer",
      answer: NOTHING,
      handle: async (call) => {
        await leaveCloud(joinOf(), call);
        return {};
      },
    }),
  ];
}

const noGateway = (id: string) => refuse("not_found", `there is no gateway ${id.slice(0, 80)}`);

async function notJoined({ gateways }: Pick<LinkRouteNeeds, "gateways">, id: string): Promise<Error> {
  const gateway = await gateways.find(id);
  return gateway === undefined ? noGateway(id) : refuse("not_found", `the gateway ${gateway.name} is revoked already`);
}
