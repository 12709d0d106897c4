import { makeEntry, makeSite } from "../support/records.ts";
import { type OpenStores, opened, type Stores } from "./stores.ts";

/** Stores with one site in them. */
export async function withSite(open: OpenStores): Promise<{ readonly stores: Stores; readonly siteId: string }> {
  const stores = await opened(open);
  const site = makeSite();
  await stores.sites.insert(site, makeEntry());
  return { stores, siteId: site.id };
}
