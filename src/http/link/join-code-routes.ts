import { renderInstant } from "#core/time/instant.ts";
import { parseLifetime } from "#http/access/token-wire.ts";
import { joinCodeSchema, newJoinCodeSchema, openCodeSchema, renderOpenCode } from "#http/link/link-wire.ts";
import { requireCloud } from "#http/link/require-cloud.ts";
import { pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { listAnswer, NOTHING, renderPage } from "#http/wire.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { createJoinCode, withdrawJoinCode } from "#service/link/join-gateway.ts";
import type { Links } from "#service/link/links.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";
const CODE_LIFETIME_MS = 3_600_000;
const LONGEST_CODE_LIFETIME = "30d";

type JoinCodeNeeds = Pick<Needs, "gateways" | "now" | "newId" | "randomBytes"> & { readonly links: Links | undefined };

export function joinCodeRoutes(needs: JoinCodeNeeds): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/gateways/join_codes",
      operation: "createJoinCode",
      summary: "Create a code with which a gateway joins",
      description:
        "The code works once. On the gateway: `busbar gateway join URL CODE`. A gateway gets a site that another one has only if its code, or [giveSite](#giveSite), says so.",
      tag,
      access: "installer",
      body: newJoinCodeSchema,
      answer: joinCodeSchema,
      handle: async (call) => {
        requireCloud(needs.links);
        const { name, expires_in: lifetime, replaces, site_ids: siteIds = [] } = call.body;
        const expiresInMs = lifetime === undefined ? CODE_LIFETIME_MS : parseLifetime(lifetime, LONGEST_CODE_LIFETIME);
        const { id, code, expiresAt } = await createJoinCode(needs, call, { name, replaces, siteIds, expiresInMs });
        return { id, code, expires_at: renderInstant(expiresAt) };
      },
    }),
    route({
      method: "GET",
      path: "/v3/gateways/join_codes",
      operation: "listJoinCodes",
      summary: "List the codes with which a gateway can still join",
      description:
        "Without the codes themselves, which nobody is shown again. Used, withdrawn and expired ones are gone.",
      tag,
      access: "installer",
      query: paging,
      answer: listAnswer("join_codes", openCodeSchema),
      handle: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links);
        const page = await needs.gateways.listCodes(needs.now(), pageOf(call.query));
        return renderPage("join_codes", page, renderOpenCode);
      },
    }),
    route({
      method: "DELETE",
      path: "/v3/gateways/join_codes/:join_code_id",
      operation: "withdrawJoinCode",
      summary: "Withdraw a code, so that no gateway can join with it",
      description: "A gateway that has joined with it stays: revoke that one.",
      tag,
      access: "installer",
      answer: NOTHING,
      handle: async (call) => {
        requireAllSites(call.caller);
        await withdrawJoinCode(needs, call, call.params.join_code_id);
        return {};
      },
    }),
  ];
}
