import { seesSite } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import { CHANGE_STATES } from "#core/link/asked-change.ts";
import { changeSchema, renderGatewayChange } from "#service/link/change-wire.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { list, listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";

interface ChangeNeeds extends Pick<Needs, "changes"> {
  /** Undefined on a gateway. */
  readonly gatewayChanges: Pick<GatewayChanges, "withdraw"> | undefined;
}

export function changeOperations(needs: ChangeNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/changes",
      name: "listChanges",
      summary: "List changes that gateways are asked for",
      description: "On a cloud, newest first. A change of a joined site is made by its gateway.",
      tag,
      level: "readonly",
      query: {
        ...paging,
        "site_id.in": list("Only changes of these sites."),
        "device_id.in": list("Only changes of these devices, by id."),
        "state.in": listOf("Only changes in these states.", CHANGE_STATES),
      },
      answer: listAnswer("changes", changeSchema),
      run: async ({ caller, query }) => {
        const filter = {
          scope: caller.sites,
          siteIds: query["site_id.in"],
          deviceIds: query["device_id.in"],
          states: query["state.in"],
        };
        return renderPage("changes", await needs.changes.list(filter, pageOf(query)), renderGatewayChange);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/changes/:change_id",
      name: "getChange",
      summary: "Get a change that a gateway is asked for",
      tag,
      level: "readonly",
      answer: Type.Object({ change: changeSchema }, { additionalProperties: false }),
      run: async ({ caller, params }) => {
        const change = await needs.changes.find(params.change_id);
        if (change === undefined || !seesSite(caller, change.siteId)) {
          throw refuse("not_found", `there is no change ${params.change_id.slice(0, 80)}`);
        }
        return { change: renderGatewayChange(change) };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/changes/:change_id/withdraw",
      name: "withdrawChange",
      summary: "Withdraw a change that waits for its gateway",
      description:
        "The gateway is not asked for it any more. Who asked for the change may withdraw it, and everybody with level " +
        "owner. A gateway whose line was cut after it got the change, and before it answered, may have made it: its " +
        "device or site shows that.",
      tag,
      level: "user",
      answer: Type.Object({ change: changeSchema }, { additionalProperties: false }),
      run: async (call) => {
        const id = call.params.change_id;
        if (needs.gatewayChanges === undefined) throw refuse("not_found", `there is no change ${id.slice(0, 80)}`);
        return { change: renderGatewayChange(await needs.gatewayChanges.withdraw(call, id)) };
      },
    }),
  ];
}
