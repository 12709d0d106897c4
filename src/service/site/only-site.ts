import { refuse } from "#core/app-error.ts";
import type { Site } from "#core/site/site.ts";
import type { Call, Needs } from "#service/ports.ts";

/**
 * The site that is meant when none is named: the only one that the caller sees. `whenSeveral` is the code of the
 * refusal if there are several.
 */
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
