import { listAll } from "#client/list-all.ts";
import type { Control } from "#client/resources.ts";
import { client } from "#web/data/client.ts";

/** The controls of a site: those that somebody controls now, or all. */
export async function readControls(site: string, { isAll }: { readonly isAll: boolean }): Promise<readonly Control[]> {
  const found: Control[] = [];
  const pages = listAll("controls", (window) => client.controls.listBySite(site, { claimed: !isAll, ...window }));
  for await (const control of pages) found.push(control);
  return found;
}
