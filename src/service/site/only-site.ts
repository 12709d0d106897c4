import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";

/** The site meant when none is named: the only one the caller sees. Where there are several, the caller says whose fault that is. */
export async function onlySite(
  needs: Pick<Needs, "sites">,
  call: Call,
  whenSeveral: "conflict" | "invalid_body",
): Promise<Site> {
  const { items, total } = await needs.sites.list(call.caller.sites, { limit: 1, offset: 0 });
  const [site] = items;
  if (site === undefined) throw refuse("not_found", "there is no site");
  if (total > 1) {
    const details = whenSeveral === "invalid_body" ? { pointer: "/site_id" } : undefined;
    throw refuse(whenSeveral, `the token sees ${total} sites; name one`, details);
  }
  return site;
}
