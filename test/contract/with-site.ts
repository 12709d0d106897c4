import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeEntry, makeSite } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";

/** SubjectStores with one site in them. */
export async function withSite(open: OpenStores): Promise<{ readonly stores: SubjectStores; readonly siteId: string }> {
  const stores = await open();
  const site = makeSite();
  await stores.sites.insert(site, makeEntry());
  return { stores, siteId: site.id };
}
