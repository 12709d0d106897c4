import { refuse } from "#core/app-error.ts";
import type { Route } from "#http/route.ts";
import type { Background } from "#service/background.ts";
import { signInGateway } from "#service/link/join-gateway.ts";
import type { Links } from "#service/link/links.ts";
import { requireCloud } from "#service/link/require-cloud.ts";
import { NOTHING } from "#service/operation/wire.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Needs } from "#service/ports.ts";

export interface LinkRouteNeeds extends Pick<Needs, "gateways" | "now"> {
  readonly background: Background;
  /** Undefined on a gateway. */
  readonly links: Links | undefined;
}

export function linkRoute(needs: LinkRouteNeeds): Route {
  return {
    method: "GET",
    path: "/v3/link",
    name: "openLink",
    summary: "The connection of a gateway, as a WebSocket",
    description: "For gateways, with their credential as bearer token. docs/link.md describes the messages.",
    tag: "Link",
    level: "public",
    answer: NOTHING,
    run: async () => {
      throw refuse("invalid_request", "this path takes WebSockets of gateways only");
    },
    link: async (call) => {
      const links = requireCloud(needs.links);
      const gateway = await signInGateway(needs, /^Bearer (.+)$/.exec(call.header("authorization") ?? "")?.[1]);
      const talk = (socket: LinkSocket) => links.serve(gateway, socket);
      return { who: gateway.id, serve: (socket) => needs.background.run("talk to a gateway", () => talk(socket)) };
    },
  };
}
