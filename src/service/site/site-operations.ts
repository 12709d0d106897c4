import { siteOfCaller, siteOfPath } from "#service/operation/find-place.ts";
import { type CarriedChange, type Operation, operation } from "#service/operation/operation.ts";
import { anyText, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import { type CreateSiteNeeds, createSite } from "#service/site/create-site.ts";
import { deleteSite } from "#service/site/delete-site.ts";
import { onlySite } from "#service/site/only-site.ts";
import {
  newSiteSchema,
  parseNewSite,
  parseSiteChange,
  renderSite,
  siteChangeSchema,
  siteSchema,
} from "#service/site/site-wire.ts";
import { updateSite } from "#service/site/update-site.ts";
import { visibleSite } from "#service/site/visible-site.ts";

const tag = "Sites";
const answer = Type.Object({ site: siteSchema }, { additionalProperties: false });

export function siteOperations(needs: CreateSiteNeeds): readonly Operation[] {
  const siteChange: Omit<CarriedChange, "place"> = {
    by: "gateway",
    waits: true,
    compares: "site",
    current: async (call, { siteId }) => ({
      site: renderSite(await visibleSite(needs, call, siteId), call.caller),
    }),
  };
  return [
    operation({
      method: "GET",
      path: "/v3/sites",
      name: "listSites",
      summary: "List sites",
      tag,
      level: "readonly",
      query: { ...paging, name: anyText("Known because editors of the ecosystem send it. It does not filter.") },
      answer: listAnswer("sites", siteSchema),
      run: async ({ caller, query }) => {
        const page = await needs.sites.list(caller.sites, pageOf(query));
        return renderPage("sites", page, (site) => renderSite(site, caller));
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites",
      name: "createSite",
      summary: "Create a site",
      description:
        "Takes a token for all sites. Give the time zone: a day of the site begins at midnight there. Without one it is UTC, and " +
        "the site says that nobody has confirmed it (`timezone_assumed`).",
      tag,
      level: "installer",
      body: newSiteSchema,
      answer,
      run: async (call) => ({
        site: renderSite(await createSite(needs, call, parseNewSite(call.body)), call.caller),
      }),
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id",
      name: "getSite",
      summary: "Get a site",
      tag,
      level: "readonly",
      answer,
      run: async (call) => ({ site: renderSite(await visibleSite(needs, call, call.params.site_id), call.caller) }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/sites/:site_id",
      name: "updateSite",
      summary: "Change a site",
      tag,
      level: "owner",
      atGateway: { ...siteChange, place: siteOfPath },
      body: siteChangeSchema,
      answer,
      run: async (call) => {
        const site = await updateSite(needs, call, { siteId: call.params.site_id, change: parseSiteChange(call.body) });
        return { site: renderSite(site, call.caller) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id",
      name: "deleteSite",
      summary: "Delete a site",
      description: "Refused while the site has devices other than the gateway itself.",
      tag,
      level: "installer",
      atGateway: { by: "gateway alone", place: siteOfPath, deletesLeftovers: true },
      answer: NOTHING,
      run: async (call) => {
        await deleteSite(needs, call, call.params.site_id);
        return {};
      },
    }),
    operation({
      method: "GET",
      path: "/v3/site",
      name: "getOnlySite",
      summary: "Get the one site of a gateway",
      description: "Works where the token sees exactly one site.",
      tag,
      level: "readonly",
      answer,
      run: async (call) => ({ site: renderSite(await onlySite(needs, call, "conflict"), call.caller) }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/site",
      name: "updateOnlySite",
      summary: "Change the one site of a gateway",
      description: "Works where the token sees exactly one site.",
      tag,
      level: "owner",
      atGateway: { ...siteChange, place: siteOfCaller, as: "updateSite" },
      body: siteChangeSchema,
      answer,
      run: async (call) => {
        const { id: siteId } = await onlySite(needs, call, "conflict");
        const site = await updateSite(needs, call, { siteId, change: parseSiteChange(call.body) });
        return { site: renderSite(site, call.caller) };
      },
    }),
  ];
}
