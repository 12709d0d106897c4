import { anyText, pageOf, paging } from "#http/query.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import {
  newSiteSchema,
  parseNewSite,
  parseSiteChange,
  renderSite,
  siteChangeSchema,
  siteSchema,
} from "#http/site/site-wire.ts";
import { listAnswer, NOTHING, renderPage } from "#http/wire.ts";
import { type CreateSiteNeeds, createSite } from "#service/site/create-site.ts";
import { deleteSite } from "#service/site/delete-site.ts";
import { onlySite } from "#service/site/only-site.ts";
import { updateSite } from "#service/site/update-site.ts";
import { visibleSite } from "#service/site/visible-site.ts";

const tag = "Sites";
const answer = Type.Object({ site: siteSchema }, { additionalProperties: false });

export function siteRoutes(needs: CreateSiteNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/sites",
      operation: "listSites",
      summary: "List sites",
      tag,
      access: "readonly",
      query: { ...paging, name: anyText("Known because editors of the ecosystem send it. It does not filter.") },
      answer: listAnswer("sites", siteSchema),
      handle: async ({ caller, query }) => {
        const page = await needs.sites.list(caller.sites, pageOf(query));
        return renderPage("sites", page, (site) => renderSite(site, caller));
      },
    }),
    route({
      method: "POST",
      path: "/v3/sites",
      operation: "createSite",
      summary: "Create a site",
      description:
        "Takes a token for all sites. Give the time zone: a day of the site begins at midnight there. Without one it is UTC, and " +
        "the site says that nobody has confirmed it (`timezone_assumed`).",
      tag,
      access: "installer",
      body: newSiteSchema,
      answer,
      handle: async (call) => ({
        site: renderSite(await createSite(needs, call, parseNewSite(call.body)), call.caller),
      }),
    }),
    route({
      method: "GET",
      path: "/v3/sites/:site_id",
      operation: "getSite",
      summary: "Get a site",
      tag,
      access: "readonly",
      answer,
      handle: async (call) => ({ site: renderSite(await visibleSite(needs, call, call.params.site_id), call.caller) }),
    }),
    route({
      method: "PATCH",
      path: "/v3/sites/:site_id",
      operation: "updateSite",
      summary: "Change a site",
      tag,
      access: "owner",
      body: siteChangeSchema,
      answer,
      handle: async (call) => {
        const site = await updateSite(needs, call, { siteId: call.params.site_id, change: parseSiteChange(call.body) });
        return { site: renderSite(site, call.caller) };
      },
    }),
    route({
      method: "DELETE",
      path: "/v3/sites/:site_id",
      operation: "deleteSite",
      summary: "Delete a site",
      description: "Refused while the site has devices other than the gateway itself.",
      tag,
      access: "installer",
      answer: NOTHING,
      handle: async (call) => {
        await deleteSite(needs, call, call.params.site_id);
        return {};
      },
    }),
    route({
      method: "GET",
      path: "/v3/site",
      operation: "getOnlySite",
      summary: "Get the one site of a gateway",
      description: "Works where the token sees exactly one site.",
      tag,
      access: "readonly",
      answer,
      handle: async (call) => ({ site: renderSite(await onlySite(needs, call, "conflict"), call.caller) }),
    }),
    route({
      method: "PATCH",
      path: "/v3/site",
      operation: "updateOnlySite",
      summary: "Change the one site of a gateway",
      description: "Works where the token sees exactly one site.",
      tag,
      access: "owner",
      body: siteChangeSchema,
      answer,
      handle: async (call) => {
        const { id: siteId } = await onlySite(needs, call, "conflict");
        const site = await updateSite(needs, call, { siteId, change: parseSiteChange(call.body) });
        return { site: renderSite(site, call.caller) };
      },
    }),
  ];
}
