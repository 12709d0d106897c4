import { seesSite } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import { CHANGE_STATES } from "#core/link/asked-change.ts";
import { changeSchema, renderGatewayChange } from "#http/link/change-wire.ts";
import { list, listOf, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { listAnswer, renderPage } from "#http/wire.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";

interface ChangeRouteNeeds extends Pick<Needs, "changes"> {
  /** Undefined on a gateway. */
  readonly gatewayChanges: Pick<GatewayChanges, "withdraw"> | undefined;
}

export function changeRoutes(needs: ChangeRouteNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/changes",
      operation: "listChanges",
      summary: "List changes that gateways are asked for",
      description: "On a cloud, newest first. A change of a joined site is made by its gateway.",
      tag,
      access: "readonly",
      query: {
        ...paging,
        "site_id.in": list("Only changes of these sites."),
        "device_id.in": list("Only changes of these devices, by id."),
        "state.in": listOf("Only changes in these states.", CHANGE_STATES),
      },
      answer: listAnswer("changes", changeSchema),
      handle: async ({ caller, query }) => {
        const filter = {
          scope: caller.sites,
          siteIds: query["site_id.in"],
          deviceIds: query["device_id.in"],
          states: query["state.in"],
        };
        return renderPage("changes", await needs.changes.list(filter, pageOf(query)), renderGatewayChange);
      },
    }),
    route({
      method: "GET",
      path: "/v3/changes/:change_id",
      operation: "getChange",
      summary: "Get a change that a gateway is asked for",
      tag,
      access: "readonly",
      answer: Type.Object({ change: changeSchema }, { additionalProperties: false }),
      handle: async ({ caller, params }) => {
        const change = await needs.changes.find(params.change_id);
        if (change === undefined || !seesSite(caller, change.siteId)) {
          throw refuse("not_found", `there is no change ${params.change_id.slice(0, 80)}`);
        }
        return { change: renderGatewayChange(change) };
      },
    }),
    route({
      method: "POST",
      path: "/v3/changes/:change_id/withdraw",
      operation: "withdrawChange",
      summary: "Withdraw a change that waits for its gateway",
      description:
        "The gateway is not asked for it any more. Who asked for the change may withdraw it, and everybody with level " +
        "owner. A gateway whose line was cut after it got the change, and before it answered, may have made it: its " +
        "device or site shows that.",
      tag,
      access: "user",
      answer: Type.Object({ change: changeSchema }, { additionalProperties: false }),
      handle: async (call) => {
        const id = call.params.change_id;
        if (needs.gatewayChanges === undefined) throw refuse("not_found", `there is no change ${id.slice(0, 80)}`);
        return { change: renderGatewayChange(await needs.gatewayChanges.withdraw(call, id)) };
      },
    }),
  ];
}
