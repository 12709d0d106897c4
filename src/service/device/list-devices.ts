import type { Device } from "#core/device/device.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { DeviceFilter } from "#service/ports/device-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface DeviceQuery {
  /** What the caller may choose. */
  readonly filter: Omit<DeviceFilter, "scope" | "blueprintIds">;
  /** The blueprint must implement them all, directly or through another profile. */
  readonly profiles: readonly string[] | undefined;
  readonly page: PageRequest;
}

type ListNeeds = Pick<Needs, "devices" | "sites"> & { readonly catalog: BlueprintCatalog };

export async function listDevices(
  needs: ListNeeds,
  call: Call,
  { filter, profiles, page }: DeviceQuery,
): Promise<Page<Device>> {
  if (filter.siteId !== undefined) await visibleSite(needs, call, filter.siteId);
  const blueprintIds = profiles && (await needs.catalog.withProfiles(profiles));
  return await needs.devices.list({ ...filter, scope: call.caller.sites, blueprintIds }, page);
}
