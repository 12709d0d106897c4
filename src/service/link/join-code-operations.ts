import { renderInstant } from "#core/time/instant.ts";
import { requireAllSites } from "#service/access/require-level.ts";
import { parseLifetime } from "#service/access/token-wire.ts";
import { createJoinCode, withdrawJoinCode } from "#service/link/join-gateway.ts";
import { joinCodeSchema, newJoinCodeSchema, openCodeSchema, renderOpenCode } from "#service/link/link-wire.ts";
import type { Links } from "#service/link/links.ts";
import { requireCloud } from "#service/link/require-cloud.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import type { Needs } from "#service/ports.ts";

const tag = "Link";
const CODE_LIFETIME_MS = 3_600_000;
const LONGEST_CODE_LIFETIME = "30d";

type JoinCodeNeeds = Pick<Needs, "gateways" | "now" | "newId" | "randomBytes"> & { readonly links: Links | undefined };

export function joinCodeOperations(needs: JoinCodeNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/gateways/join_codes",
      name: "createJoinCode",
      summary: "Create a code with which a gateway joins",
      description:
        "The code works once. On the gateway: `busbar gateway join URL CODE`. A gateway gets a site that another one has only if its code, or [giveSite](#giveSite), says so.",
      tag,
      level: "installer",
      body: newJoinCodeSchema,
      answer: joinCodeSchema,
      run: async (call) => {
        requireCloud(needs.links);
        const { name, expires_in: lifetime, replaces, site_ids: siteIds = [] } = call.body;
        const expiresInMs = lifetime === undefined ? CODE_LIFETIME_MS : parseLifetime(lifetime, LONGEST_CODE_LIFETIME);
        const { id, code, expiresAt } = await createJoinCode(needs, call, { name, replaces, siteIds, expiresInMs });
        return { id, code, expires_at: renderInstant(expiresAt) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/gateways/join_codes",
      name: "listJoinCodes",
      summary: "List the codes with which a gateway can still join",
      description:
        "Without the codes themselves, which nobody is shown again. Used, withdrawn and expired ones are gone.",
      tag,
      level: "installer",
      query: paging,
      answer: listAnswer("join_codes", openCodeSchema),
      run: async (call) => {
        requireAllSites(call.caller);
        requireCloud(needs.links);
        const page = await needs.gateways.listCodes(needs.now(), pageOf(call.query));
        return renderPage("join_codes", page, renderOpenCode);
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/gateways/join_codes/:join_code_id",
      name: "withdrawJoinCode",
      summary: "Withdraw a code, so that no gateway can join with it",
      description: "A gateway that has joined with it stays: revoke that one.",
      tag,
      level: "installer",
      answer: NOTHING,
      run: async (call) => {
        requireAllSites(call.caller);
        await withdrawJoinCode(needs, call, call.params.join_code_id);
        return {};
      },
    }),
  ];
}
